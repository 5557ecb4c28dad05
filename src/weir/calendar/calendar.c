/* Windows of time. */
#include "calendar/calendar.h"

#include <stdlib.h>

struct windows {
	size_t n;
};

void windows_free(struct windows *w)
{
	free(w);
}
