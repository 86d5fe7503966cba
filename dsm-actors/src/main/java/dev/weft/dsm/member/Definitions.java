package dev.weft.dsm.member;

import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.dsm.settings.Engine;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.DsmMessage.Refusal;
import dev.weft.dsm.wire.HomePlacement;
import dev.weft.dsm.wire.ObjectName;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The list of objects, which the first live node keeps. It assigns numbers and places, and answers a request when every node knows the object. A
 * freed array keeps its place until no node is inside any more.
 *
 * <p>Bound: {@value #OBJECTS_MAX} objects at a time.
 */
final class Definitions {
  static final int OBJECTS_MAX = 16_384;
  private static final long ALIGNMENT = SharingUnit.PAGE_BYTES;

  private record Asked(int node, int request) {}

  private static final class Entry {
    final ObjectSpec spec;
    final String site;
    final List<Asked> asked = new ArrayList<>();
    /** Nodes that have not confirmed yet that they know the object, or have forgotten it. */
    long pending;
    boolean freed;

    Entry(ObjectSpec spec, String site, long pending) {
      this.site = site;
      this.spec = spec;
      this.pending = pending;
    }
  }

  private final DsmSettings settings;
  private final Outbox outbox;
  private final LongSupplier members;
  private final LongSupplier told;
  private final Map<String, Entry> byName = new LinkedHashMap<>();
  private final Map<Integer, Entry> byId = new LinkedHashMap<>();
  /** Free ranges of the frames, in bytes. */
  private final Ranges memory;
  /** Free numbers of minipages, which are places in tables; null if numbers are not reused. */
  private final Ranges numbers;
  private int nextId = 1;
  private int nextMinipage;
  private long inUse;

  /**
   * @param members bits of the nodes that have joined and may be homes
   * @param told bits of these and of joining nodes
   */
  Definitions(DsmSettings settings, Outbox outbox, LongSupplier members, LongSupplier told) {
    this.settings = settings;
    this.outbox = outbox;
    this.members = members;
    this.told = told;
    memory = new Ranges(settings.memoryBytes());
    numbers = settings.engine() == Engine.SYNCHRONOUS ? new Ranges(settings.minipagesMax()) : null;
  }

  /** A node wants an object; {@code site} is the place in its program. */
  void onDefine(int from, int request, ObjectSpec wanted, String site) {
    String problem = problemOf(wanted);
    Entry there = byName.get(wanted.name());
    if (problem == null && there != null && !there.spec.hasShapeOf(wanted)) {
      problem = "\"" + wanted.name() + "\" is " + shape(there.spec) + ", and was asked for as " + shape(wanted);
    }
    if (problem != null) {
      refuse(from, request, Refusal.BAD_REQUEST, problem);
    } else if (there != null) {
      there.asked.add(new Asked(from, request));
      answer(there);
    } else {
      define(from, request, wanted, site);
    }
  }

  /** The shape as text, with the name of a lock instead of its number. */
  private String shape(ObjectSpec of) {
    Entry lock = of.kind() == ObjectSpec.Kind.CONDITION ? byId.get((int) of.strideBytes()) : null;
    return lock == null ? of.shape() : "a condition of the lock \"" + lock.spec.name() + "\"";
  }

  /** Another node had the list before: numbers below these are given out. */
  void beginAt(int id, int minipage) {
    nextId = Math.max(nextId, id);
    nextMinipage = numbers == null ? Math.max(nextMinipage, minipage) : nextMinipage;
  }

  /**
   * Adopts an object of that list. Nodes that do not know it are notified; if one of the nodes has forgotten it, all are told to forget it.
   *
   * @param knownBy bits of the nodes that know it
   */
  void adopt(ObjectSpec spec, String site, long knownBy, boolean isFreed) {
    if (spec.kind().isArray() && (!memory.takeAt(spec.offset(), rounded(spec.bytes()))
        || numbers != null && !numbers.takeAt(spec.firstMinipage(), spec.minipages()))) {
      throw new IllegalArgumentException(spec + " is where another array is");
    }
    inUse += spec.minipages();
    Entry entry = new Entry(spec, site, told.getAsLong() & (isFreed ? -1L : ~knownBy));
    entry.freed = isFreed;
    byName.put(spec.name(), entry);
    byId.put(spec.id(), entry);
    for (long left = entry.pending; left != 0; left &= left - 1) {
      outbox.send(Long.numberOfTrailingZeros(left), isFreed ? new DsmMessage.Freed(spec.id(), entry.pending) : new DsmMessage.Defined(spec, site));
    }
  }

  private static String problemOf(ObjectSpec wanted) {
    String name = ObjectName.problemOf(wanted.name());
    if (name != null) {
      return name;
    }
    if (wanted.kind().isArray() && (wanted.length() < 1 || wanted.length() > Long.MAX_VALUE / 16 || wanted.strideBytes() < 8
        || wanted.strideBytes() % 8 != 0)) {
      return wanted.shape() + " cannot be: a length of 1 or more in minipages of 8 bytes or a multiple";
    }
    if (wanted.isReleaseConsistent() && wanted.kind().isArray() && Math.min(wanted.strideBytes(), wanted.bytes()) > 1 << 30) {
      return wanted.shape() + " cannot be: minipages of at most " + (1 << 30) + " bytes";
    }
    return wanted.kind() == ObjectSpec.Kind.BARRIER ? ObjectSpec.problemOfParties(wanted.name(), wanted.length()) : null;
  }

  private void define(int from, int request, ObjectSpec wanted, String site) {
    if (byId.size() >= OBJECTS_MAX) {
      refuse(from, request, Refusal.NO_ROOM, "there are " + OBJECTS_MAX + " objects already");
      return;
    }
    boolean isArray = wanted.kind().isArray();
    long minipages = isArray ? (wanted.bytes() + wanted.strideBytes() - 1) / wanted.strideBytes() : 0;
    if (minipages > settings.minipagesMax() - inUse) {
      refuse(from, request, Refusal.NO_ROOM, "\"" + wanted.name() + "\" has " + minipages + " minipages, " + (settings.minipagesMax() - inUse)
          + " are left: weft.dsm.minipages-max is " + settings.minipagesMax());
      return;
    }
    long first = isArray && numbers != null ? numbers.take(minipages) : nextMinipage;
    if (first < 0) {
      refuse(from, request, Refusal.NO_ROOM, "\"" + wanted.name() + "\" has " + minipages + " minipages, the longest free range of their numbers is "
          + numbers.longest() + ": weft.dsm.minipages-max is " + settings.minipagesMax());
      return;
    }
    long offset = isArray ? memory.take(rounded(wanted.bytes())) : 0;
    if (offset < 0 || first + minipages > Integer.MAX_VALUE - 1) {
      if (isArray && numbers != null) {
        numbers.giveBack(first, minipages);
      }
      refuse(from, request, Refusal.NO_ROOM, wanted.bytes() + " bytes for \"" + wanted.name() + "\" are not free: weft.dsm.memory is "
          + settings.memoryBytes() + ", the longest free range " + memory.longest());
      return;
    }
    nextMinipage += numbers == null ? (int) minipages : 0;
    inUse += minipages;
    ObjectSpec spec = new ObjectSpec(nextId++, wanted.kind(), wanted.name(), wanted.length(), wanted.strideBytes(), offset, (int) first,
        members.getAsLong(), placementOf(wanted), wanted.consistency());
    Entry entry = new Entry(spec, site, told.getAsLong());
    entry.asked.add(new Asked(from, request));
    byName.put(spec.name(), entry);
    byId.put(spec.id(), entry);
    tellMembers(new DsmMessage.Defined(spec, site));
  }

  /** An object whose home cannot move gets a fixed home. */
  private HomePlacement placementOf(ObjectSpec wanted) {
    boolean canMove = wanted.kind().isArray() && !wanted.isReleaseConsistent();
    return settings.placement() == HomePlacement.DYNAMIC && !canMove ? HomePlacement.FIXED : settings.placement();
  }

  private void tellMembers(DsmMessage message) {
    for (long left = told.getAsLong(); left != 0; left &= left - 1) {
      outbox.send(Long.numberOfTrailingZeros(left), message);
    }
  }

  private static long rounded(long bytes) {
    return bytes + ALIGNMENT - 1 & -ALIGNMENT;
  }

  private void giveBack(ObjectSpec spec) {
    inUse -= spec.minipages();
    memory.giveBack(spec.offset(), rounded(spec.bytes()));
    if (numbers != null) {
      numbers.giveBack(spec.firstMinipage(), spec.minipages());
    }
  }

  private void refuse(int node, int request, Refusal why, String text) {
    outbox.send(node, new DsmMessage.DefineResult(request, -1, why, text));
  }

  /** A node confirms that it knows an object, or has forgotten it. */
  void onAck(int from, int object) {
    Entry entry = byId.get(object);
    if (entry != null) {
      entry.pending &= ~(1L << from);
      answer(entry);
    }
  }

  private void answer(Entry entry) {
    if (entry.pending != 0) {
      return;
    }
    if (entry.freed && entry.spec.kind().isArray() && byId.remove(entry.spec.id()) != null) {
      byName.remove(entry.spec.name());
      giveBack(entry.spec);
    }
    entry.asked.forEach(asked -> outbox.send(asked.node,
        new DsmMessage.DefineResult(asked.request, entry.spec.id(), Refusal.NONE, "")));
    entry.asked.clear();
  }

  /** A node frees an array. */
  void onFree(int from, int request, int object) {
    Entry entry = byId.get(object);
    if (entry == null || !entry.spec.kind().isArray() || entry.freed || entry.pending != 0) {
      refuse(from, request, Refusal.UNKNOWN, "there is no such array any more");
      return;
    }
    entry.freed = true;
    entry.pending = told.getAsLong();
    entry.asked.add(new Asked(from, request));
    tellMembers(new DsmMessage.Freed(object, entry.pending));
  }

  /** Tells a joining node all objects. */
  void tellAll(int node) {
    byId.values().stream().filter(entry -> !entry.freed).forEach(entry -> outbox.send(node, new DsmMessage.Defined(entry.spec, entry.site)));
  }

  /** A node is lost or has left. */
  void onNodeLost(int node) {
    for (Entry entry : List.copyOf(byId.values())) {
      entry.pending &= ~(1L << node);
      entry.asked.removeIf(asked -> asked.node == node);
      if (entry.freed && entry.pending != 0) {
        tellMembers(new DsmMessage.Freed(entry.spec.id(), told.getAsLong())); // Some nodes may not have known the lost node as a receiver, and wait for it.
      }
      answer(entry);
    }
  }
}
