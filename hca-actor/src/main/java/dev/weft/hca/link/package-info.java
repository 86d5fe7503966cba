/**
 * Connections that a client makes again whenever they are lost. A service brings its hello and its requests; {@link dev.weft.hca.link.Connector} decides
 * what an event means, and {@link dev.weft.hca.link.Backlog} holds the requests of a connection.
 *
 * <p>Invariants: only events of the current attempt change a link. A late connection of an abandoned attempt is disconnected. The queue pair of a lost
 * connection is destroyed before the service learns of the loss, so no transfer reaches a buffer afterwards. All objects belong to one actor.
 */
package dev.weft.hca.link;
