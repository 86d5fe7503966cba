/**
 * Carries the messages between clients, manager and daemons. The default are queue pairs of the fabric. Another transport brings a
 * {@link dev.weft.pvfs.transport.Transport} for clients and a {@link dev.weft.pvfs.transport.ServiceListener} for services.
 */
package dev.weft.pvfs.transport;
