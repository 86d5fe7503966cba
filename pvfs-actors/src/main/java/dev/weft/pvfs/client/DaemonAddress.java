package dev.weft.pvfs.client;

/**
 * Where an I/O daemon is.
 *
 * @param node of the fabric
 * @param service that it listens on
 */
public record DaemonAddress(String node, String service) {}
