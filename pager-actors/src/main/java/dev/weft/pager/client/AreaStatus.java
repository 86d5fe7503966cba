package dev.weft.pager.client;

/**
 * The status of one area of a device.
 *
 * @param start first byte of the device in this area
 * @param bytes its length
 * @param node node of the server that holds it
 * @param service service name of that server
 * @param isGone whether the server is known not to hold it any more, so that it cannot become ready again by itself
 * @param why the reason why it is not ready; empty if it is
 */
public record AreaStatus(long start, long bytes, String node, String service, AreaState state, boolean isGone, String why) {}
