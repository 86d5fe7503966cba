/**
 * {@code weft up}, {@code join}, {@code status} and {@code down}: starts and ends the JVMs of a fabric on this host. What runs is
 * recorded in a state directory, one file for each process, so that the other commands find it.
 */
package dev.weft.launcher.cluster;
