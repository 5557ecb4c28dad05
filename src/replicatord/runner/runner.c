/* The types of runners there are. */
#include "runner/runner.h"

#include <stddef.h>

const struct runner_type *const runner_types[] = {&runner_simulate};
const char *const runner_names[] = {"simulate", NULL};

void runner_free(struct runner *r)
{
	if (r)
		r->type->free(r);
}
