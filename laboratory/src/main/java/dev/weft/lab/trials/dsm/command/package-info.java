/**
 * Subcommands below {@code weft dsm}: applications, measurements and litmus tests on shared memory whose nodes are spread over JVMs. A
 * {@link dev.weft.lab.trials.dsm.command.DsmCommands subcommand} makes a {@code Team} of nodes, which plays a {@code Task}.
 */
package dev.weft.lab.trials.dsm.command;
