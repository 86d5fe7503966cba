package dev.weft.pager.client;

/**
 * A memory server that a device uses.
 *
 * @param node name of its node
 * @param service its service name on that node
 * @param areaBytes size of the area that the device needs from it
 */
public record ServerSpec(String node, String service, long areaBytes) {}
