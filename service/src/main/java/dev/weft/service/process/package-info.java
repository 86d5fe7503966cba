/**
 * The processes of Weft: a command's start and end, the JVMs that it starts, the records of running processes, and the socket for commands to a
 * running fabric. Begin with {@link dev.weft.service.process.StateDirectory}.
 */
package dev.weft.service.process;
