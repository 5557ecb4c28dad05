/* What all forges share. */
#include "forge/forge.h"

void forge_free(struct forge *f)
{
	if (f)
		f->ops->free(f);
}
