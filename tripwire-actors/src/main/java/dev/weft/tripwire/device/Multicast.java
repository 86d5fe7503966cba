package dev.weft.tripwire.device;

import dev.weft.fabric.packet.Bursts;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.tripwire.driver.ExportedAperture;
import dev.weft.tripwire.driver.MappedAperture;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.NetworkAddress;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Multicast apertures that this NIC is a member of (CLAN, section 2.5: multicast with the support of the switch). Data written to the group's LID is
 * placed in the member's own memory at the same offset. Each sender has a flow of its own to each group; a member joins it at the first packet that
 * it sees, and leaves it at a gap. Hardware thread. Bound: apertures, times the LIDs that write to each.
 */
final class Multicast {
  private record Member(ExportedAperture aperture, Descriptor group) {}

  private final NicCore core;
  private final NicDevice nic;
  private final Int2ObjectHashMap<Member> byLid = new Int2ObjectHashMap<>();
  private final Map<ExportedAperture, Member> byAperture = new LinkedHashMap<>();
  private final Set<Descriptor> opened = new LinkedHashSet<>();
  private final Long2ObjectHashMap<Flows.Incoming> flows = new Long2ObjectHashMap<>();

  Multicast(NicCore core, NicDevice nic) {
    this.core = core;
    this.nic = nic;
  }

  /** Name of a group in the fabric; public, unlike its key. */
  static String name(int id) {
    return "clan-" + Integer.toHexString(id);
  }

  void join(Descriptor group, ExportedAperture aperture) {
    Member member = new Member(aperture, group);
    byLid.put(group.lid(), member);
    byAperture.put(aperture, member);
  }

  boolean isMember(Descriptor group) {
    return byLid.containsKey(group.lid());
  }

  /** Forgets the membership of an aperture without leaving the fabric's group; returns the group, or null. */
  Descriptor forget(ExportedAperture aperture) {
    Member member = byAperture.remove(aperture);
    if (member == null) {
      return null;
    }
    byLid.remove(member.group().lid());
    flows.values().removeIf(flow -> flow.groupLid == member.group().lid());
    return member.group();
  }

  /** Ends the membership of an aperture, if it has one. */
  void leave(ExportedAperture aperture) {
    Descriptor group = forget(aperture);
    if (group != null) {
      nic.host().groups().leave(name(group.aperture()), nic.port(), true);
    }
  }

  /** This NIC has opened a group, which exists until this NIC closes it. */
  void opened(Descriptor group) {
    opened.add(group);
  }

  /** No effect if this NIC has not opened the group. */
  void close(Descriptor group) {
    if (opened.remove(group)) {
      nic.host().groups().leave(name(group.aperture()), nic.port(), false);
    }
  }

  /** Leaves and closes all groups. */
  void closeAll() {
    List.copyOf(byAperture.keySet()).forEach(this::leave);
    List.copyOf(opened).forEach(this::close);
  }

  /** Adds the NICs that have written to a group of this NIC. */
  void addPeers(Set<Integer> lids) {
    flows.values().forEach(flow -> lids.add(flow.lid));
  }

  void forget(int lid) {
    flows.values().removeIf(flow -> flow.lid == lid);
  }

  void onPacket(Packet packet) {
    Member member = byLid.get(packet.dstLid());
    if (member == null || packet.opcode() != Opcode.CLAN_WRITE && packet.opcode() != Opcode.CLAN_OPEN) {
      core.counters.packetsDropped++;
      return;
    }
    Flows.Incoming flow = flows.computeIfAbsent((long) packet.dstLid() << Short.SIZE | packet.srcLid(),
        key -> new Flows.Incoming(packet.srcLid(), packet.dstLid()));
    if (packet.opcode() == Opcode.CLAN_OPEN) {
      flow.open(packet.immediate());
    } else {
      flow.takeUp(packet.immediate());
      switch (flow.next(packet.immediate(), Bursts.positions(packet))) {
        case TAKE -> place(packet, member, flow);
        case DUPLICATE -> core.counters.duplicates++;
        case GAP, NOT_OPEN -> onGap(packet, flow, member);
      }
    }
  }

  /** A member may have removed pages of its own aperture; that does not concern the sender, which also writes to others. */
  private void place(Packet packet, Member member, Flows.Incoming flow) {
    if (packet.compare() != member.group().key() || !mayPlace(packet, member)) {
      core.counters.packetsDropped++;
      return;
    }
    Status placed = core.arrivals.place(packet, member.aperture());
    if (placed == Status.BROKEN) {
      onGap(packet, flow, member); // The sender's memory is gone, so this burst is lost.
    } else if (placed != Status.OK) {
      core.counters.packetsDropped++;
    }
  }

  private static boolean mayPlace(Packet packet, Member member) {
    return member.aperture().memory.check(NetworkAddress.offset(packet.va()), packet.payload().length(), Rights.WRITE) == Status.OK;
  }

  /**
   * A member of a group has not taken the write of this NIC at position {@code at}; another member may have reported it before. A report with a key
   * that is not mapped cannot break the mappings of others; but if nothing is mapped, the next mapping starts the flow anew.
   */
  void onBroken(int lid, long key, int at, Status status) {
    Flows.Outgoing flow = Packet.isMulticast(lid) ? core.flows.find(lid) : null;
    if (flow == null || !flow.open || flow.isBeforeStart(at)) {
      return;
    }
    if (core.tables.failMappings(lid, MappedAperture.MULTICAST, key, status, cause(at)) > 0 || !core.tables.isMapped(lid)) {
      flow.open = false;
      core.forgetStores(lid);
    }
  }

  private static String cause(int at) {
    return "a member of the group has missed something before position " + (at & 0xffff_ffffL) + " of the flow";
  }

  private void onGap(Packet packet, Flows.Incoming flow, Member member) {
    core.counters.gaps++;
    boolean isNews = !flow.isTold();
    if (flow.fail(packet.immediate(), core.nowNs())) {
      core.refusals.tell(flow.lid, Refusals.GROUP, Status.BROKEN, member.group().lid(), member.group().key(), packet.immediate(), true);
    }
    if (isNews) {
      nic.peerBroken(flow.lid);
    }
  }
}
