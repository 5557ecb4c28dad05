/* Prints what the man pages of weir take from its tables: `man_weir config`, `man_weir spec` or
 * `man_weir sync`. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "config/config.h"
#include "model/catalog.h"

static const struct {
	const char *name;
	void (*write)(struct buf *out);
} references[] = {
	{"config", config_mdoc},
	{"spec", spec_mdoc},
	{"sync", sync_mdoc},
	{"cluster", cluster_mdoc},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(references) / sizeof(references[0]); i++) {
		if (strcmp(argv[1], references[i].name) == 0) {
			auto_buf struct buf out = BUF_INIT;

			references[i].write(&out);
			return fputs(buf_str(&out), stdout) == EOF;
		}
	}
	fputs("usage: man_weir config|spec|sync|cluster\n", stderr);
	return 64;
}
