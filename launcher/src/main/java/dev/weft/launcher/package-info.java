/**
 * The command line: {@code weft} and its subcommands. Results go to standard output, errors in one line to standard error; {@link
 * dev.weft.service.ExitCode} says what the process returns.
 */
package dev.weft.launcher;
