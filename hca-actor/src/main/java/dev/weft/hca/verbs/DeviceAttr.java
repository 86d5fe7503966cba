package dev.weft.hca.verbs;

/**
 * The limits of an HCA, as {@code ibv_device_attr_ex}. A verb that exceeds a limit fails.
 *
 * @param nodeGuid derived from the LID; 0 before one is assigned
 * @param maxMrBytes largest region
 * @param pageBytes page size
 * @param maxQp queue pairs
 * @param maxQpWr depth of a queue
 * @param maxSge scatter/gather elements of one request
 * @param maxInlineBytes inline data of one request
 * @param maxCq completion queues
 * @param maxCqe entries of one completion queue
 * @param maxPd protection domains
 * @param maxMr regions and windows together
 * @param maxSrq shared receive queues
 * @param maxRdAtomic reads and atomics outstanding at a queue pair
 * @param maxMulticastAttach attachments to multicast groups
 * @param maxPkeys partitions of a port
 * @param maxDeviceMemoryBytes memory of the HCA itself
 * @param physPortCount ports, at most 255
 * @param physPortCountEx ports
 * @param flushTypes {@link FlushType} bits that regions may grant
 */
public record DeviceAttr(long nodeGuid, long maxMrBytes, int pageBytes, int maxQp, int maxQpWr, int maxSge, int maxInlineBytes,
    int maxCq, int maxCqe, int maxPd, int maxMr, int maxSrq, int maxRdAtomic, int maxMulticastAttach, int maxPkeys, long maxDeviceMemoryBytes,
    int physPortCount, int physPortCountEx, int flushTypes) {}
