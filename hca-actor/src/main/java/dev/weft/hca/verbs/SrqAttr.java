package dev.weft.hca.verbs;

/**
 * Sizes of a shared receive queue, as {@code ibv_srq_attr}.
 *
 * @param maxWr receives that fit, 1 to the device's limit
 * @param maxSge scatter/gather elements per receive
 * @param limit the limit event is armed and comes when fewer receives than this are posted; 0: not armed
 */
public record SrqAttr(int maxWr, int maxSge, int limit) {}
