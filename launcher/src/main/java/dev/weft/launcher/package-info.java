/**
 * The command line: {@code weft} and its subcommands. Begin with {@link dev.weft.launcher.WeftCommand}. Results go to standard output, errors in
 * one line to standard error. {@link dev.weft.service.ExitCode} lists the exit codes.
 */
package dev.weft.launcher;
