package dev.weft.hca.device;

import dev.weft.hca.transport.Qp;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * The datagram queue pairs of one HCA that receive a copy of each packet to a multicast LID. At most {@code attachmentsMax} pairs of queue pair and
 * LID. Used on the hardware thread only.
 */
final class MulticastAttachments {
  private static final List<Qp> NOBODY = List.of();

  private final Int2ObjectHashMap<List<Qp>> byLid = new Int2ObjectHashMap<>();
  private final int attachmentsMax;
  private int count;

  MulticastAttachments(int attachmentsMax) {
    this.attachmentsMax = attachmentsMax;
  }

  /** Returns the queue pairs of a LID in the order of their attachment. */
  List<Qp> of(int lid) {
    List<Qp> attached = byLid.get(lid);
    return attached == null ? NOBODY : attached;
  }

  /** Returns the attachments, sorted by LID. */
  List<HcaSnapshot.Group> snapshot() {
    return byLid.entrySet().stream()
        .map(entry -> new HcaSnapshot.Group(entry.getKey(), entry.getValue().stream().map(Qp::qpNum).toList()))
        .sorted(Comparator.comparingInt(HcaSnapshot.Group::lid)).toList();
  }

  void attach(Qp qp, int lid) {
    if (of(lid).contains(qp)) {
      return;
    }
    if (count >= attachmentsMax) {
      throw new VerbsException(Errno.ENOMEM,
          "the HCA holds " + count + " multicast attachments already; raise weft.hca.multicast-attachments-max");
    }
    byLid.computeIfAbsent(lid, key -> new ArrayList<>()).add(qp);
    count++;
    qp.useGroups(1);
  }

  void detach(Qp qp, int lid) {
    List<Qp> attached = byLid.get(lid);
    if (attached == null || !attached.remove(qp)) {
      throw new VerbsException(Errno.EINVAL, "queue pair " + qp.qpNum() + " is not attached to multicast LID " + lid);
    }
    count--;
    qp.useGroups(-1);
    if (attached.isEmpty()) {
      byLid.remove(lid);
    }
  }
}
