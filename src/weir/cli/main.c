/* weir: keeps Kafka replicators as Git says they should be. */
#include "cli/cli.h"

static const struct command *const commands[] = {
	&cmd_init,
	&cmd_validate,
	&cmd_plan,
	&cmd_apply,
	&cmd_run,
	&cmd_status,
	&cmd_explain,
	&cmd_export,
	&cmd_approve,
	&cmd_suspend,
	&cmd_resume,
	&cmd_forget,
	&cmd_state,
	NULL,
};

int main(int argc, char **argv)
{
	return command_main("weir", "Keeps Kafka replicators as Git says they should be.", commands,
		argc, argv);
}
