/**
 * Inspection of a JVM of the fabric over HTTP, and the report of {@code weft status} that reads it (design sections 1e and 3).
 *
 * <p>Control plane only: elements are asked by ordinary messages and answer with a snapshot, taken between two of their own
 * messages. Nothing here changes anything, and no memory key leaves the JVM in a snapshot. The packets of a capture have keys and data: only who
 * shows the token, or the key that the user who started the JVM can read, gets them.
 */
package dev.weft.launcher.http;
