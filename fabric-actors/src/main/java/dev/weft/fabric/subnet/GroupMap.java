package dev.weft.fabric.subnet;

import dev.weft.fabric.node.MulticastGroups;
import dev.weft.fabric.packet.Packet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The multicast groups that the subnet manager knows. A group has a LID as long as a JVM registers it. A group keeps the LID that a
 * registration claims, as nodes do; new LIDs are taken round robin. Not thread-safe; uses no clock. Bound: {@code groupsMax} groups.
 */
final class GroupMap {
  private record Group(String name, int lid, TreeMap<String, Boolean> receivesByJvm) {}

  private final int groupsMax;
  private final Map<String, Group> byName = new HashMap<>();
  private final TreeMap<Integer, Group> byLid = new TreeMap<>();
  private int lastLid = Packet.MULTICAST_LID_MIN;
  private boolean changed;

  GroupMap(int groupsMax) {
    this.groupsMax = groupsMax;
  }

  /** Registers all groups of a JVM and returns the refused ones. The JVM leaves the groups that it no longer names. */
  List<NodeRefusal> register(String jvm, List<GroupClaim> claims) {
    Set<String> named = new HashSet<>();
    claims.forEach(claim -> named.add(claim.name()));
    for (Group group : List.copyOf(byLid.values())) {
      if (!named.contains(group.name())) {
        leave(group, jvm);
      }
    }
    List<NodeRefusal> refused = new ArrayList<>();
    for (GroupClaim claim : claims) {
      String objection = objection(claim);
      if (objection != null) {
        refused.add(new NodeRefusal(claim.name(), objection));
      } else {
        Group group = byName.computeIfAbsent(claim.name(), name -> create(claim));
        changed |= !Boolean.valueOf(claim.receives()).equals(group.receivesByJvm().put(jvm, claim.receives()));
      }
    }
    return refused;
  }

  private String objection(GroupClaim claim) {
    if (claim.name().isEmpty() || claim.name().length() > MulticastGroups.NAME_LENGTH_MAX) {
      return "a group name has 1 to " + MulticastGroups.NAME_LENGTH_MAX + " characters, this one has " + claim.name().length();
    }
    Group known = byName.get(claim.name());
    if (claim.lid() != 0 && !Packet.isMulticast(claim.lid())) {
      return "LID " + claim.lid() + " is not a multicast LID";
    }
    if (known != null) {
      return claim.lid() == 0 || claim.lid() == known.lid() ? null : "the group has LID " + known.lid() + ", not " + claim.lid();
    }
    if (claim.lid() != 0 && byLid.containsKey(claim.lid())) {
      return "LID " + claim.lid() + " belongs to group \"" + byLid.get(claim.lid()).name() + "\"";
    }
    if (byName.size() >= groupsMax) {
      return "the fabric has " + byName.size() + " multicast groups, as many as weft.fabric.subnet.groups-max allows";
    }
    return null;
  }

  private Group create(GroupClaim claim) {
    int lid = claim.lid();
    if (lid == 0) {
      do {
        lastLid = lastLid >= Packet.MULTICAST_LID_MAX ? Packet.MULTICAST_LID_MIN : lastLid + 1;
      } while (byLid.containsKey(lastLid));
      lid = lastLid;
    } else {
      lastLid = Math.max(lastLid, lid);
    }
    Group group = new Group(claim.name(), lid, new TreeMap<>());
    byLid.put(lid, group);
    changed = true;
    return group;
  }

  private void leave(Group group, String jvm) {
    if (group.receivesByJvm().remove(jvm) == null) {
      return;
    }
    changed = true;
    if (group.receivesByJvm().isEmpty()) {
      byName.remove(group.name());
      byLid.remove(group.lid());
    }
  }

  /** Removes a JVM from all groups. */
  void remove(String jvm) {
    List.copyOf(byLid.values()).forEach(group -> leave(group, jvm));
  }

  boolean isChanged() {
    return changed;
  }

  /** Returns all groups, ordered by LID, and resets {@link #isChanged}. */
  List<GroupEntry> entries(Map<String, JvmEntry> jvms) {
    changed = false;
    List<GroupEntry> entries = new ArrayList<>();
    for (Group group : byLid.values()) {
      List<Integer> receivers = new ArrayList<>();
      group.receivesByJvm().forEach((jvm, receives) -> {
        if (receives && jvms.containsKey(jvm)) {
          receivers.add(jvms.get(jvm).number());
        }
      });
      receivers.sort(null);
      entries.add(new GroupEntry(group.name(), group.lid(), List.copyOf(receivers)));
    }
    return List.copyOf(entries);
  }
}
