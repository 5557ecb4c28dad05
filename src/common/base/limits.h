/*
 * Every limit on what comes from outside, in one place. Each is far above honest use and far below
 * harm.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

/* Documents (libyaml has inputs that take quadratic time: see the decision page on YAML). */
#define LIMIT_YAML_FILE_BYTES (1u << 20)
#define LIMIT_YAML_DEPTH      64
#define LIMIT_YAML_NODES      100000 /* after aliases are followed */
#define LIMIT_JSON_DEPTH      64
#define LIMIT_MERGED_KEYS     (8u << 20) /* that Defaults bring to replicators, all together */
#define LIMIT_CONFIG_BYTES    (1u << 20)
#define LIMIT_PROBLEMS	      1000 /* printed per run; the rest is counted */
#define LIMIT_REASON_LENGTH   200 /* characters of a reason that a person gave */

/* Windows in which changes may be made, or not. */
#define LIMIT_WINDOWS	     64
#define LIMIT_SCHEDULE_BYTES 200
#define LIMIT_WINDOW_MS_MIN  INT64_C(60000)
#define LIMIT_WINDOW_MS_MAX  (366 * INT64_C(86400000))

/* Git. */
#define LIMIT_TREE_FILES   100000
#define LIMIT_TREE_BYTES   (256u << 20)
#define LIMIT_TREE_DEPTH   64
#define LIMIT_TREE_ENTRIES (1u << 20) /* looked at, whatever they are */
#define LIMIT_REFS_BYTES   (64u << 20) /* a server's list of what it has */
#define LIMIT_PACK_BYTES   (4ull << 30)
#define LIMIT_NOTE_BYTES   (256u << 10)

/* HTTP answers we read. */
#define LIMIT_API_ANSWER_BYTES	(8u << 20)
#define LIMIT_HTTP_HEADER_BYTES (256u << 10)
#define LIMIT_API_PAGES		10000
#define LIMIT_API_PAGE_SIZE	500
#define LIMIT_API_OBJECTS	200000
#define LIMIT_API_WORDS_BYTES	1000 /* of a message for people; the rest is cut */

/* HTTP requests we serve. */
#define LIMIT_HTTP_BODY_BYTES  (1u << 20)
#define LIMIT_HOOK_BODY_BYTES  (3u << 20) /* forges cut a push of many commits below that */
#define LIMIT_HTTP_BODIES_HELD (16u << 20) /* bytes, of all requests of a server that are read */
#define LIMIT_HTTP_TARGET      4096
#define LIMIT_HTTP_CONNECTIONS 512

/* What people order and ask. */
#define LIMIT_REASON_BYTES	  1000
#define LIMIT_EVENTS_SHOWN	  1000
#define LIMIT_DAEMON_ANSWER_BYTES (64u << 20) /* a plan of many replicators, from our own daemon */

/* The store of weir: kept for so long, and at most so many. */
#define LIMIT_EVENT_DAYS     90
#define LIMIT_STORE_EVENTS   50000
#define LIMIT_INTENT_DAYS    30
#define LIMIT_STORE_INTENTS  20000
#define LIMIT_STATUS_DAYS    30
#define LIMIT_STORE_STATUSES 2000

/* Secrets. */
#define LIMIT_SECRET_BYTES (64u << 10)

#endif
