/**
 * The client library (PVFS over InfiniBand, section 3.2). It cuts operations into requests to daemons, chooses how their data moves (communication
 * manager), registers the program's memory (buffer manager), and sends no more than the daemons' credits allow (transport). Begin with
 * {@code DataClient}, then {@code ClientCore}.
 */
package dev.weft.pvfs.client;
