package dev.weft.lab.seed001;

import dev.weft.pager.BlockDevice;

/**
 * A block device to swap to, with what its driver costs the host that swaps.
 *
 * @param device where pages go
 * @param isCopied whether the driver copies pages to and from buffers of its own, as HPBD does into its registered pool
 * @param completionNs what the end of a request costs before whoever waits for it is unblocked
 */
public record SwapDevice(BlockDevice device, boolean isCopied, long completionNs) {}
