/**
 * Inspection of a JVM over HTTP, and the report of {@code weft status}, which reads it. Begin with {@link
 * dev.weft.launcher.http.HttpService} and {@link dev.weft.launcher.http.StatusReport}.
 *
 * <p>Control plane only: inspection asks the elements by ordinary messages. An element answers with a snapshot that it takes between two of its own
 * messages. Inspection changes nothing, and no snapshot contains a memory key. The packets of a capture contain keys and data. So a client gets them
 * only if it shows the token, or the key that only the user who started the JVM can read.
 */
package dev.weft.launcher.http;
