/* Feeds a target each file that is named, and all below folders, where libFuzzer is not there. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fs.h"
#include "fuzz.h"

static unsigned n_files;

static int feed(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	auto_buf struct buf text = BUF_INIT;
	struct err e = ERR_INIT;
	if (type != FTW_F)
		return 0;
	if (fs_read(path, &text, &e) < 0) {
		fprintf(stderr, "%s\n", e.msg);
		return 1;
	}
	n_files++;
	return LLVMFuzzerTestOneInput((const uint8_t *)buf_str(&text), text.len);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (nftw(argv[i], feed, 16, FTW_PHYS) != 0)
			return EXIT_FAILURE;
	printf("%u files\n", n_files);
	return n_files ? EXIT_SUCCESS : EXIT_FAILURE;
}
