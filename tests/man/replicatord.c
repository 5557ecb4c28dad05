/* Prints what the man page of replicatord.yaml takes from its tables. */
#include <stdio.h>

#include "base/buf.h"
#include "server/config.h"

int main(void)
{
	auto_buf struct buf out = BUF_INIT;

	config_mdoc(&out);
	return fputs(buf_str(&out), stdout) == EOF;
}
