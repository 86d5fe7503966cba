package dev.weft.hca;

import dev.weft.hca.VerbsException.Errno;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * Which datagram queue pairs of one HCA get a copy of what comes for a multicast LID. Confined to the hardware thread. Bound: {@code
 * attachmentsMax} pairs of queue pair and LID.
 */
final class MulticastAttachments {
  private static final List<QueuePair> NOBODY = List.of();

  private final Int2ObjectHashMap<List<QueuePair>> byLid = new Int2ObjectHashMap<>();
  private final int attachmentsMax;
  private int count;

  MulticastAttachments(int attachmentsMax) {
    this.attachmentsMax = attachmentsMax;
  }

  /** In the order of their attachment. */
  List<QueuePair> of(int lid) {
    List<QueuePair> attached = byLid.get(lid);
    return attached == null ? NOBODY : attached;
  }

  /** By LID. */
  List<HcaSnapshot.Group> snapshot() {
    return byLid.entrySet().stream()
        .map(entry -> new HcaSnapshot.Group(entry.getKey(), entry.getValue().stream().map(QueuePair::qpNum).toList()))
        .sorted(Comparator.comparingInt(HcaSnapshot.Group::lid)).toList();
  }

  void attach(QueuePair qp, int lid) {
    if (of(lid).contains(qp)) {
      return;
    }
    if (count >= attachmentsMax) {
      throw new VerbsException(Errno.ENOMEM,
          "the HCA holds " + count + " multicast attachments already; raise weft.hca.multicast-attachments-max");
    }
    byLid.computeIfAbsent(lid, key -> new ArrayList<>()).add(qp);
    count++;
    qp.multicastCount++;
  }

  void detach(QueuePair qp, int lid) {
    List<QueuePair> attached = byLid.get(lid);
    if (attached == null || !attached.remove(qp)) {
      throw new VerbsException(Errno.EINVAL, "queue pair " + qp.qpNum() + " is not attached to multicast LID " + lid);
    }
    count--;
    qp.multicastCount--;
    if (attached.isEmpty()) {
      byLid.remove(lid);
    }
  }
}
