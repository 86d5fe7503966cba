package dev.weft.fabric.subnet;

import dev.weft.fabric.node.Advert;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The adverts that the subnet manager knows; decides which it accepts. Not thread-safe; uses no clock. */
final class AdvertMap {
  private final int bytesMax;
  private final Map<String, List<Advert>> byJvm = new LinkedHashMap<>();
  private boolean changed;

  /** @param bytesMax largest size of all adverts of the fabric together, which are a part of one control message */
  AdvertMap(int bytesMax) {
    this.bytesMax = bytesMax;
  }

  /**
   * Registers all adverts of a JVM and removes those that it no longer has.
   *
   * @param nodes names of the JVM's nodes
   * @return the refused adverts
   */
  List<AdvertRefusal> register(String jvm, List<Advert> claims, Set<String> nodes) {
    List<Advert> before = byJvm.getOrDefault(jvm, List.of());
    List<Advert> accepted = new ArrayList<>();
    List<AdvertRefusal> refused = new ArrayList<>();
    int left = bytesMax - bytesOfOthers(jvm);
    Set<String> seen = new HashSet<>();
    for (Advert claim : claims) {
      String objection = objection(claim, nodes, left);
      if (objection == null && !seen.add(claim.node() + " " + claim.service())) {
        objection = "it was named twice";
      }
      if (objection != null) {
        refused.add(new AdvertRefusal(claim.node(), claim.service(), objection));
      } else {
        left -= claim.bytes();
        accepted.add(claim);
      }
    }
    if (!accepted.equals(before)) {
      changed = true;
      if (accepted.isEmpty()) {
        byJvm.remove(jvm);
      } else {
        byJvm.put(jvm, List.copyOf(accepted));
      }
    }
    return refused;
  }

  private String objection(Advert claim, Set<String> nodes, int left) {
    if (!nodes.contains(claim.node())) {
      return "its JVM has no node \"" + claim.node() + "\" on the fabric";
    }
    if (claim.bytes() > left) {
      return claim.misfit(left, bytesMax, all());
    }
    return null;
  }

  private int bytesOfOthers(String jvm) {
    int sum = 0;
    for (Map.Entry<String, List<Advert>> entry : byJvm.entrySet()) {
      if (!entry.getKey().equals(jvm)) {
        sum += entry.getValue().stream().mapToInt(Advert::bytes).sum();
      }
    }
    return sum;
  }

  void remove(String jvm) {
    changed |= byJvm.remove(jvm) != null;
  }

  boolean isChanged() {
    return changed;
  }

  /** Returns all adverts and resets {@link #isChanged}. */
  List<Advert> entries() {
    changed = false;
    return all();
  }

  private List<Advert> all() {
    return byJvm.values().stream().flatMap(List::stream).toList();
  }
}
