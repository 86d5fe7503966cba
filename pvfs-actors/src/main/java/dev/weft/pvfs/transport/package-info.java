/**
 * What carries the messages between clients, manager and daemons: queue pairs of the fabric, or something else that brings a {@link
 * dev.weft.pvfs.transport.Transport} to the client and a {@link dev.weft.pvfs.transport.ServiceListener} to those it calls.
 */
package dev.weft.pvfs.transport;
