package dev.weft.hca.netvm;

/**
 * A snapshot of the redirect buffer of an HCA, for inspection.
 *
 * @param accountPackets number of packets of one queue pair that fit
 * @param accounts number of queue pairs with credit
 * @param used number of waiting packets; {@code usedMax} is its largest value so far
 * @param redirectedPackets number of packets that had to wait so far; {@code redirectedBytes} is the number of their bytes
 * @param refused number of packets that were rejected because they came without credit; the sender retransmits them
 * @param discarded number of pieces of packets that were dropped because their page had been unmapped
 * @param waitingPages number of pages with waiting data
 */
public record RedirectSnapshot(int slotBytes, int accountPackets, int accounts, int used, int usedMax, long redirectedPackets,
    long redirectedBytes, long refused, long discarded, int waitingPages) {}
