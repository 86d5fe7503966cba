package dev.weft.pvfs.client;

/**
 * The address of an I/O daemon.
 *
 * @param node its node on the fabric
 * @param service the service at which it listens
 */
public record DaemonAddress(String node, String service) {}
