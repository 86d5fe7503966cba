package dev.weft.hca.memory;

import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.HcaSnapshot;
import dev.weft.hca.verbs.MemoryWindow;
import dev.weft.hca.verbs.MwBind;
import dev.weft.hca.verbs.QueuePair;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import dev.weft.hca.verbs.WcStatus;
import dev.weft.hca.verbs.WrOpcode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The memory windows of one HCA: binding and invalidation. A binding is an entry in the table of regions, so the data path finds
 * it like any other key. Hardware thread.
 */
public final class MemoryWindows {
  private static final int WINDOW_ACCESS = Access.REMOTE_WRITE | Access.REMOTE_READ | Access.REMOTE_ATOMIC | Access.ZERO_BASED;

  private final MrTable memory;
  private final Set<Mw> allocated = new LinkedHashSet<>();

  public MemoryWindows(MrTable memory) {
    this.memory = memory;
  }

  public Mw allocate(Pd pd, MemoryWindow.Type type) {
    if (pd.deallocated) {
      throw new VerbsException(Errno.EINVAL, "protection domain " + pd.handle() + " is deallocated");
    }
    Mw window = new Mw(pd, type, memory.allocateWindow(type));
    pd.useCount++;
    allocated.add(window);
    return window;
  }

  public void deallocate(Mw window) {
    if (window.deallocated) {
      throw new VerbsException(Errno.EINVAL, "the memory window is deallocated already");
    }
    unbind(window);
    window.deallocated = true;
    memory.freeWindow(window);
    allocated.remove(window);
    window.pd().useCount--;
  }

  /** Returns the windows in the order of their allocation. */
  public List<HcaSnapshot.Mw> snapshot() {
    return allocated.stream().map(window -> {
      Mr part = window.binding;
      return part == null ? new HcaSnapshot.Mw(window.type(), false, 0, 0, "", 0, 0)
          : new HcaSnapshot.Mw(window.type(), true, part.addr(), part.length(), Access.describe(part.access()), window.region.addr(),
              window.queuePair == null ? 0 : window.queuePair.qpNum());
    }).toList();
  }

  /** Executes BIND_MW or LOCAL_INV; returns the error status, or null on success. */
  public WcStatus execute(QueuePair qp, WrOpcode opcode, MwBind bind, int invalidateRkey) {
    boolean done = opcode == WrOpcode.BIND_MW ? bind(qp, bind) : invalidate(qp, invalidateRkey);
    return done ? null : WcStatus.MW_BIND_ERR;
  }

  /** Binds a window by the rules C10-72 to C10-75, o10-36.2.2, o10-37.2.30 and o10-37.2.40 of the specification. */
  private boolean bind(QueuePair qp, MwBind bind) {
    Mw window = (Mw) bind.window();
    if (window.deallocated || window.pd() != qp.pd() || !keyFits(bind)) {
      return false;
    }
    if (window.type() == MemoryWindow.Type.TYPE_1 && bind.length() == 0) {
      unbind(window);
      window.key = bind.rkey();
      return true;
    }
    Mr region = (Mr) bind.region();
    int access = bind.access();
    boolean writes = (access & (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC)) != 0;
    if (!memory.contains(region) || !region.isUsable() || region.pd() != qp.pd() || bind.length() == 0
        || (access & ~WINDOW_ACCESS) != 0 || (region.access() & Access.MW_BIND) == 0
        || (region.access() & Access.ZERO_BASED) != 0 || (writes && (region.access() & Access.LOCAL_WRITE) == 0)
        || !region.contains(bind.addr(), bind.length())) {
      return false;
    }
    unbind(window);
    long start = (access & Access.ZERO_BASED) != 0 ? 0 : bind.addr();
    window.binding = new Mr(window, region, bind, start);
    window.region = region;
    window.queuePair = window.type() == MemoryWindow.Type.TYPE_2 ? qp : null;
    window.key = bind.rkey();
    window.bound = true;
    region.windows++;
    memory.addBinding(window.binding);
    return true;
  }

  /** Whether the key is allowed: for type 2, the window is unbound and keeps the upper 24 bits; for type 1, the key is free. */
  private boolean keyFits(MwBind bind) {
    Mw window = (Mw) bind.window();
    if (window.type() == MemoryWindow.Type.TYPE_1) {
      return memory.isFree(bind.rkey()) && (bind.access() & Access.ZERO_BASED) == 0;
    }
    return !window.bound && (bind.rkey() ^ window.key) >>> 8 == 0;
  }

  /** Executes LOCAL_INV for a type 2 window or for a region without windows. */
  private boolean invalidate(QueuePair qp, int key) {
    Mr mr = memory.find(key, qp.pd());
    if (mr == null || mr.windows > 0) {
      return false;
    }
    if (mr.window() == null) {
      mr.invalidate();
      mr.loan().awaitReaders();
      return true;
    }
    if (mr.window().type() == MemoryWindow.Type.TYPE_1) {
      return false;
    }
    unbind(mr.window());
    return true;
  }

  /** Whether the peer of {@code qp} may invalidate that key: it belongs to a type 2 window that was bound through this queue pair. */
  public boolean mayInvalidate(QueuePair qp, int key) {
    Mr mr = memory.find(key, qp.pd());
    return mr != null && mr.window() != null && mr.window().queuePair == qp;
  }

  /** Executes a SEND_WITH_INV of the peer; the caller must have checked {@link #mayInvalidate}. */
  public void invalidateByPeer(QueuePair qp, int key) {
    unbind(memory.find(key, qp.pd()).window());
  }

  private void unbind(Mw window) {
    if (window.binding != null) {
      memory.removeBinding(window.binding);
      window.binding.loan().awaitReaders();
      window.region.windows--;
      window.binding = null;
      window.region = null;
      window.queuePair = null;
      window.bound = false;
    }
  }

  /** Unbinds the type 2 windows that were bound through a queue pair, which is being destroyed. */
  public void release(QueuePair qp) {
    for (Mr binding : memory.bindings()) {
      if (binding.window().queuePair == qp) {
        unbind(binding.window());
      }
    }
  }
}
