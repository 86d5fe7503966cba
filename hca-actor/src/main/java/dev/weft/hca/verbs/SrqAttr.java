package dev.weft.hca.verbs;

/**
 * The sizes of a shared receive queue, as {@code ibv_srq_attr}.
 *
 * @param maxWr number of receives that fit, 1 to the device's limit
 * @param maxSge scatter/gather elements per receive
 * @param limit number of posted receives below which the limit event occurs; 0 if it is not armed
 */
public record SrqAttr(int maxWr, int maxSge, int limit) {}
