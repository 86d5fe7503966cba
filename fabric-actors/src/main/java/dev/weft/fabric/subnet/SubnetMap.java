package dev.weft.fabric.subnet;

import dev.weft.fabric.node.Advert;
import dev.weft.fabric.node.NodeEntry;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The knowledge and decisions of the subnet manager: the number of each JVM and the LID of each node. A registration states
 * everything that its JVM has. The JVM keeps the LIDs and numbers that it claims unless another JVM has them, so a new manager
 * takes over the assignments of an earlier one. New LIDs and numbers are taken round robin, so a free one stays unused for
 * long. Not thread-safe; uses no clock.
 */
final class SubnetMap {
  static final int LID_MAX = 0xbfff;
  static final int NUMBER_MAX = 0x7fff;
  static final int NAME_LENGTH_MAX = 64;

  private final int nodesMax;
  private final Map<String, JvmEntry> jvms = new LinkedHashMap<>();
  private final Map<String, NodeEntry> nodesByName = new HashMap<>();
  private final TreeMap<Integer, NodeEntry> nodesByLid = new TreeMap<>();
  private int lastLid;
  private int lastNumber;
  private final GroupMap groups;
  private final AdvertMap adverts;
  private long version;
  private boolean changed;
  private FabricView view = FabricView.EMPTY;

  /**
   * The limits keep a view small enough for one control message.
   *
   * @param nodesMax largest number of nodes of the whole fabric
   * @param groupsMax largest number of multicast groups of the whole fabric
   * @param advertsMaxBytes largest size of all adverts of the whole fabric together
   */
  SubnetMap(int nodesMax, int groupsMax, int advertsMaxBytes) {
    this.nodesMax = nodesMax;
    this.groups = new GroupMap(groupsMax);
    this.adverts = new AdvertMap(advertsMaxBytes);
  }

  /** The version, the highest LID and the highest JVM number of the latest view that a JVM has received. */
  record Seen(long version, int highestLid, int highestNumber) {
    static Seen of(FabricView view) {
      int highestLid = view.nodes().isEmpty() ? 0 : view.nodes().getLast().lid();
      int highestNumber = view.jvms().isEmpty() ? 0 : view.jvms().getLast().number();
      return new Seen(view.version(), highestLid, highestNumber);
    }
  }

  /**
   * The result of a registration.
   *
   * @param jvm the JVM with its number
   * @param accepted its nodes with their LIDs
   * @param refused nodes that were not accepted
   */
  record Outcome(JvmEntry jvm, List<NodeEntry> accepted, List<NodeRefusal> refused) {}

  /**
   * Registers all nodes of a JVM and removes those that it no longer names.
   *
   * @param jvm the JVM with the number that it has, or 0
   * @param seen the view that the JVM knows; assignment continues after the LIDs and numbers used there
   */
  Outcome register(JvmEntry jvm, List<NodeClaim> claims, Seen seen) {
    if (seen.version() > version) {
      version = seen.version();
      lastLid = Math.max(lastLid, Math.min(seen.highestLid(), LID_MAX));
      lastNumber = Math.max(lastNumber, Math.min(seen.highestNumber(), NUMBER_MAX));
      changed = true;
    }
    JvmEntry known = jvms.get(jvm.jvm());
    if (known != null && !known.isSameIncarnation(jvm)) {
      remove(jvm.jvm(), known.incarnation());
      known = null;
    }
    int number = known != null ? known.number() : numberFor(jvm.number());
    JvmEntry entry = jvm.with(number, known == null || known.reachable());
    if (!entry.equals(known)) {
      jvms.put(entry.jvm(), entry);
      changed = true;
    }
    return registerNodes(entry, claims);
  }

  /** Registers all multicast groups of a registered JVM. Returns the refused ones. */
  List<NodeRefusal> registerGroups(String jvm, List<GroupClaim> claims) {
    return groups.register(jvm, claims);
  }

  /** Registers all adverts of a registered JVM. Returns the refused ones. */
  List<AdvertRefusal> registerAdverts(String jvm, List<Advert> claims) {
    Set<String> own = new HashSet<>();
    nodesByLid.values().stream().filter(node -> node.jvm().equals(jvm)).forEach(node -> own.add(node.name()));
    return adverts.register(jvm, claims, own);
  }

  private Outcome registerNodes(JvmEntry jvm, List<NodeClaim> claims) {
    Set<String> named = new HashSet<>();
    claims.forEach(claim -> named.add(claim.name()));
    for (NodeEntry node : List.copyOf(nodesByLid.values())) {
      if (node.jvm().equals(jvm.jvm()) && !named.contains(node.name())) {
        forget(node);
      }
    }
    List<NodeEntry> accepted = new ArrayList<>();
    List<NodeRefusal> refused = new ArrayList<>();
    for (NodeClaim claim : claims) {
      String objection = objection(jvm, claim);
      if (objection == null) {
        accepted.add(accept(jvm, claim));
      } else {
        refused.add(new NodeRefusal(claim.name(), objection));
      }
    }
    return new Outcome(jvm, accepted, refused);
  }

  private String objection(JvmEntry jvm, NodeClaim claim) {
    if (claim.name().isEmpty() || claim.name().length() > NAME_LENGTH_MAX) {
      return "a node name has 1 to " + NAME_LENGTH_MAX + " characters, this one has " + claim.name().length();
    }
    NodeEntry holder = nodesByName.get(claim.name());
    if (holder != null && !holder.jvm().equals(jvm.jvm())) {
      return "the name \"" + claim.name() + "\" belongs to a node of JVM " + holder.jvm() + "; choose another";
    }
    if (claim.lid() < 0 || claim.lid() > LID_MAX) {
      return "LID " + claim.lid() + " must be from 1 to " + LID_MAX + ", or 0 for a new one";
    }
    NodeEntry lidHolder = claim.lid() == 0 ? null : nodesByLid.get(claim.lid());
    if (lidHolder != null && !lidHolder.name().equals(claim.name())) {
      return "LID " + claim.lid() + " belongs to node \"" + lidHolder.name() + "\" of JVM " + lidHolder.jvm();
    }
    if (holder == null && nodesByLid.size() >= nodesMax) {
      return "the fabric has " + nodesByLid.size() + " nodes, as many as weft.fabric.subnet.nodes-max allows";
    }
    return null;
  }

  private NodeEntry accept(JvmEntry jvm, NodeClaim claim) {
    NodeEntry known = nodesByName.get(claim.name());
    int lid = claim.lid() != 0 ? claim.lid() : known != null ? known.lid() : freeLid();
    NodeEntry node = new NodeEntry(claim.name(), lid, jvm.jvm(), claim.cm());
    if (!node.equals(known)) {
      if (known != null) {
        forget(known);
      }
      nodesByName.put(node.name(), node);
      nodesByLid.put(lid, node);
      changed = true;
    }
    return node;
  }

  private void forget(NodeEntry node) {
    nodesByName.remove(node.name());
    nodesByLid.remove(node.lid());
    changed = true;
  }

  /** Returns a free LID. There always is one, because {@code nodesMax} is below the number of LIDs. */
  private int freeLid() {
    do {
      lastLid = lastLid >= LID_MAX ? 1 : lastLid + 1;
    } while (nodesByLid.containsKey(lastLid));
    return lastLid;
  }

  private int numberFor(int claimed) {
    Set<Integer> taken = new HashSet<>();
    jvms.values().forEach(jvm -> taken.add(jvm.number()));
    if (claimed > 0 && claimed <= NUMBER_MAX && !taken.contains(claimed)) {
      lastNumber = Math.max(lastNumber, claimed);
      return claimed;
    }
    do {
      lastNumber = lastNumber >= NUMBER_MAX ? 1 : lastNumber + 1;
    } while (taken.contains(lastNumber));
    return lastNumber;
  }

  /** Removes a JVM and its nodes; a later incarnation at its address stays. */
  void remove(String jvm, long incarnation) {
    JvmEntry known = jvms.get(jvm);
    if (known == null || known.incarnation() != incarnation) {
      return;
    }
    jvms.remove(jvm);
    groups.remove(jvm);
    adverts.remove(jvm);
    changed = true;
    for (NodeEntry node : List.copyOf(nodesByLid.values())) {
      if (node.jvm().equals(jvm)) {
        forget(node);
      }
    }
  }

  /** Records that the failure detector has lost or found a JVM. */
  void reachable(String jvm, long incarnation, boolean nowReachable) {
    JvmEntry known = jvms.get(jvm);
    if (known != null && known.incarnation() == incarnation && known.reachable() != nowReachable) {
      jvms.put(jvm, known.with(known.number(), nowReachable));
      changed = true;
    }
  }

  boolean knows(String jvm, long incarnation) {
    JvmEntry known = jvms.get(jvm);
    return known != null && known.incarnation() == incarnation;
  }

  boolean isChanged() {
    return changed || groups.isChanged() || adverts.isChanged();
  }

  /** Returns the current view; it has a new version if something has changed since the last call. */
  FabricView view() {
    if (isChanged()) {
      changed = false;
      version++;
      List<JvmEntry> sorted = new ArrayList<>(jvms.values());
      sorted.sort(Comparator.comparingInt(JvmEntry::number));
      view = new FabricView(version, List.copyOf(sorted), List.copyOf(nodesByLid.values()), groups.entries(jvms), adverts.entries());
    }
    return view;
  }
}
