/** {@code weft dsm}: programs, measurements and litmus tests on shared memory whose nodes are spread over JVMs. */
package dev.weft.dsm.command;
