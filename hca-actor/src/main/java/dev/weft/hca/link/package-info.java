/**
 * Connections that a client makes again whenever they are lost. A service brings its hello and its requests; {@link dev.weft.hca.link.Connector} decides
 * what an event means, and {@link dev.weft.hca.link.Backlog} holds the requests of a connection.
 *
 * <p>The default carriers of messages are queue pairs of the fabric. Another one brings a {@link dev.weft.hca.link.Transport} for clients and a {@link
 * dev.weft.hca.link.ServiceListener} for services.
 *
 * <p>Invariants: a client hears of the current attempt and of earlier ones apart. A late connection of an earlier attempt is disconnected. The queue
 * pair of a lost connection is destroyed before the client learns of the loss, so no transfer reaches a buffer afterwards. All objects belong to one
 * actor.
 */
package dev.weft.hca.link;
