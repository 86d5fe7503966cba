package dev.weft.pager.client;

/**
 * One area of a device.
 *
 * @param start first byte of the device that lies in it
 * @param bytes its length
 * @param node of the server that holds it
 * @param service of that server
 * @param isGone whether its server is known not to hold it any more, so that it will not come back by itself
 * @param why why it is not ready; empty if it is
 */
public record AreaStatus(long start, long bytes, String node, String service, AreaState state, boolean isGone, String why) {}
