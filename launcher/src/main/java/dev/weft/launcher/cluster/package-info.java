/**
 * {@code weft up}, {@code join}, {@code status} and {@code down}: start, show and end the JVMs of a fabric on this host. A state directory
 * has a record of each running process, so that the other commands find it. Begin with {@link dev.weft.launcher.cluster.UpCommand}.
 */
package dev.weft.launcher.cluster;
