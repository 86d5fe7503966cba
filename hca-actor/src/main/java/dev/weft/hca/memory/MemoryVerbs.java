package dev.weft.hca.memory;

import dev.weft.fabric.Check;
import dev.weft.hca.control.HardwareCalls;
import dev.weft.hca.verbs.Access;
import dev.weft.hca.verbs.Hca;
import dev.weft.hca.verbs.HcaSettings;
import dev.weft.hca.verbs.MrAdvice;
import dev.weft.hca.verbs.MrInitAttr;
import dev.weft.hca.verbs.ProtectionDomain;
import dev.weft.hca.verbs.Rereg;
import dev.weft.hca.verbs.VerbsException;
import dev.weft.hca.verbs.VerbsException.Errno;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;

/** The verbs of {@link Hca} that register, change and allocate memory. Any thread. */
public final class MemoryVerbs {
  /** Represents any other thread; never started. */
  private static final Thread HARDWARE = Thread.ofPlatform().unstarted(() -> {});

  /** The number of bytes brought in at a time. */
  private static final long TOUCHED_BYTES = 1L << 20;

  private final Hca hca;
  private final HardwareCalls calls;
  private final MrTable memory;
  private final UnpinnedMemory unpinned;
  private final HcaSettings settings;
  private final Consumer<Pd> enroll;
  /** Device memory in use, bytes. Hardware thread. */
  private long deviceBytes;

  /** Creates the verbs of {@code hca}. {@code enroll} receives the domain of each unpinned region on the hardware thread, before it is added. */
  public MemoryVerbs(Hca hca, HardwareCalls calls, MrTable memory, UnpinnedMemory unpinned, HcaSettings settings, Consumer<Pd> enroll) {
    this.hca = hca;
    this.calls = calls;
    this.memory = memory;
    this.unpinned = unpinned;
    this.settings = settings;
    this.enroll = enroll;
  }

  static boolean isShared(MemorySegment segment) {
    return segment.isAccessibleBy(HARDWARE);
  }

  /** Registers memory; {@code held} is the buffer or device memory that it is a part of, or null. */
  public Mr register(Pd pd, MemorySegment segment, long iova, int access, HeldMemory held) {
    checkRegistration(segment, access);
    boolean pinned = mayPin(access) && !(held instanceof Dm) && PageLocks.lock(segment);
    try {
      return calls.control(() -> {
        if (pd.deallocated || (held != null && (held.freed || held.hca != hca))) {
          throw new VerbsException(Errno.EINVAL, pd.deallocated ? "protection domain " + pd.handle() + " is deallocated"
              : "the memory was freed, or belongs to another HCA");
        }
        Mr mr = new Mr(pd, segment, start(iova, access), memory.drawKey(), access, pinned, unpinned.owns(segment), held);
        if (mr.isUnpinned()) {
          enroll.accept(pd);
        }
        memory.add(mr);
        use(mr, 1);
        return mr;
      });
    } catch (VerbsException refused) {
      if (pinned) {
        PageLocks.unlock(segment);
      }
      throw refused;
    }
  }

  /** Registers the memory that the attributes describe. */
  public Mr register(Pd pd, MrInitAttr attr) {
    if (!attr.isOneKind()) {
      throw new VerbsException(Errno.EINVAL, "give exactly one of memory, buffer and deviceMemory");
    }
    HeldMemory held = attr.buffer() != null ? (PdBuf) attr.buffer() : (Dm) attr.deviceMemory();
    long total = held == null ? attr.memory().byteSize() : held.length();
    long offset = attr.offset();
    long lengthBytes = attr.length() < 0 ? total - offset : attr.length();
    if (held != null) {
      held.checkRegistration(pd, offset, lengthBytes, attr.access());
    } else if (offset < 0 || lengthBytes < 0 || lengthBytes > total - offset) {
      throw new VerbsException(Errno.EINVAL, lengthBytes + " bytes at " + offset + " of memory of " + total
          + " bytes; the range must be inside the memory");
    }
    MemorySegment range = (held == null ? attr.memory() : held.memory).asSlice(offset, lengthBytes);
    return register(pd, range, attr.iova(range), attr.access(), held);
  }

  private boolean mayPin(int access) {
    return settings.pinMemory() && (access & Access.ON_DEMAND) == 0;
  }

  private static void use(Mr mr, int delta) {
    mr.pd().useCount += delta;
    if (mr.held() != null) {
      mr.held().regions += delta;
    }
  }

  private static long start(long iova, int access) {
    return (access & Access.ZERO_BASED) != 0 ? 0 : iova;
  }

  private void checkRegistration(MemorySegment segment, int access) {
    Check.given("segment", segment);
    if (!segment.isNative() || segment.byteSize() == 0) {
      throw new VerbsException(Errno.EINVAL, "only native, non-empty memory can be registered; allocate it from an Arena");
    }
    if (!segment.scope().isAlive()) {
      throw new VerbsException(Errno.EINVAL, "the Arena of the segment is closed");
    }
    if ((access & ~Access.REGION) != 0) {
      throw new VerbsException(Errno.EINVAL, "unknown access bits 0x" + Integer.toHexString(access & ~Access.REGION));
    }
    if ((access & (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC)) != 0 && (access & Access.LOCAL_WRITE) == 0) {
      throw new VerbsException(Errno.EINVAL, "remote write and atomic access need LOCAL_WRITE too");
    }
    if ((access & Access.LOCAL_WRITE) != 0 && segment.isReadOnly()) {
      throw new VerbsException(Errno.EINVAL, "the segment is read-only; register it without LOCAL_WRITE");
    }
    if ((access & Access.FLUSH_PERSISTENT) != 0 && !(segment.isMapped() && settings.persistentFlush())) {
      throw new VerbsException(Errno.EINVAL, segment.isMapped() ? "weft.hca.persistent-flush is off; register without FLUSH_PERSISTENT"
          : "only memory that is mapped from a file can grant FLUSH_PERSISTENT");
    }
    if (unpinned.owns(segment)) {
      checkUnpinned(access);
    } else if (!isShared(segment)) {
      throw new VerbsException(Errno.EINVAL, "the segment is confined to one thread; allocate it from a shared or automatic Arena");
    }
  }

  private static void checkUnpinned(int access) {
    if ((access & Access.ON_DEMAND) == 0) {
      throw new VerbsException(Errno.EINVAL, "virtual memory of the host is not pinned; register it with ON_DEMAND");
    }
    if ((access & Access.FLUSH_GLOBAL) != 0) {
      throw new VerbsException(Errno.EINVAL, "virtual memory of the host cannot grant FLUSH_GLOBAL: a write may still wait for its page");
    }
  }

  public void deregister(List<Mr> regions) {
    if (new HashSet<>(regions).size() != regions.size()) {
      throw new VerbsException(Errno.EINVAL, "a region is listed twice");
    }
    calls.giveBack(() -> {
      for (Mr mr : regions) {
        if (!memory.contains(mr)) {
          throw new VerbsException(Errno.EINVAL, mr + " is not registered with the HCA of " + calls.nodeName());
        }
        checkWindows(mr);
      }
      for (Mr mr : regions) {
        memory.remove(mr);
        use(mr, -1);
        mr.pd().unpinnedRegions -= mr.isUnpinned() ? 1 : 0;
      }
      return null;
    });
    regions.forEach(MemoryVerbs::awaitUsers);
    regions.forEach(Mr::unpin);
  }

  /** Waits until no other process reads the invalid region and no thread brings in its pages. */
  private static void awaitUsers(Mr mr) {
    mr.loan().awaitReaders();
    mr.awaitTouch();
  }

  public Mr reregister(Mr mr, int changes, ProtectionDomain pd, MemorySegment segment, long iova, int access) {
    if (changes == 0 || (changes & ~Rereg.ALL) != 0) {
      throw new VerbsException(Errno.EINVAL, "changes is 0x" + Integer.toHexString(changes) + ", must be one or more bits of Rereg");
    }
    if (mr.held() != null && changes != Rereg.ACCESS) {
      throw new VerbsException(Errno.EINVAL, mr + " is registered on a buffer or on device memory; only its access flags can change");
    }
    boolean moves = (changes & Rereg.TRANSLATION) != 0;
    Pd newPd = Pd.of(hca, (changes & Rereg.PD) != 0 ? pd : mr.pd());
    MemorySegment newSegment = moves ? segment : mr.segment();
    int newAccess = (changes & Rereg.ACCESS) != 0 ? access : mr.access();
    checkRegistration(newSegment, newAccess);
    if (mr.held() instanceof Dm dm) {
      dm.checkRegistration(newPd, 0, 0, newAccess);
    }
    if ((mr.isUnpinned() || unpinned.owns(newSegment)) && changes != Rereg.ACCESS) {
      throw new VerbsException(Errno.EINVAL, "only the access flags of a region of host virtual memory can change; deregister it, then register a new one");
    }
    boolean pinned = moves ? mayPin(newAccess) && PageLocks.lock(newSegment) : mr.isPinned();
    Mr now;
    try {
      now = calls.control(() -> {
        checkChange(mr, newPd);
        if (changes == Rereg.ACCESS && ((newAccess ^ mr.access()) & Access.ZERO_BASED) == 0) {
          mr.access = newAccess;
          return mr;
        }
        memory.remove(mr);
        use(mr, -1);
        int key = memory.drawBeyondBound();
        Mr changed = new Mr(newPd, newSegment, start(moves ? iova : mr.addr(), newAccess), key, newAccess, pinned,
            unpinned.owns(newSegment), mr.held());
        memory.add(changed);
        use(changed, 1);
        return changed;
      });
    } catch (VerbsException refused) {
      if (moves && pinned) {
        PageLocks.unlock(newSegment);
      }
      throw refused;
    }
    if (now != mr) {
      awaitUsers(mr);
    }
    if (moves) {
      mr.unpin();
    }
    return now;
  }

  private void checkChange(Mr mr, Pd newPd) {
    if (!memory.contains(mr) || !mr.isValid() || newPd.deallocated) {
      throw new VerbsException(Errno.EINVAL, newPd.deallocated ? "protection domain " + newPd.handle() + " is deallocated"
          : mr + " is not a valid region of the HCA of " + calls.nodeName());
    }
    checkWindows(mr);
  }

  private static void checkWindows(Mr mr) {
    if (mr.windows > 0) {
      throw new VerbsException(Errno.EBUSY, mr + " has " + mr.windows + " memory windows bound to it; invalidate or deallocate them");
    }
  }

  /** Brings in pages on the calling thread, because the hardware thread must not wait for a disk. */
  public void advise(Pd pd, MrAdvice advice, boolean wait, Mr mr, long offset, long lengthBytes) {
    boolean waitsForHost = wait && mr.isUnpinned() && advice != MrAdvice.PREFETCH_NO_FAULT;
    if (waitsForHost && calls.onHardwareThread()) {
      throw new VerbsException(Errno.EINVAL, "the hardware thread cannot wait for virtual memory; call advise with wait = false");
    }
    MemorySegment range = calls.control(() -> {
      if (!memory.contains(mr) || !mr.isUsable() || mr.pd() != pd) {
        throw new VerbsException(Errno.EINVAL, mr + " is not a valid region of protection domain " + pd.handle());
      }
      if (offset < 0 || lengthBytes <= 0 || lengthBytes > mr.length() - offset) {
        throw new VerbsException(Errno.EINVAL, lengthBytes + " bytes at " + offset + " of " + mr
            + "; the range must have at least 1 byte and be inside the region");
      }
      if (advice == MrAdvice.PREFETCH_WRITE && (mr.access() & Access.LOCAL_WRITE) == 0) {
        throw new VerbsException(Errno.EPERM, mr + " was registered without LOCAL_WRITE");
      }
      if (mr.isUnpinned() && advice != MrAdvice.PREFETCH_NO_FAULT && !waitsForHost) {
        unpinned.prefetch(mr, mr.addr() + offset, lengthBytes);
      }
      return mr.segment().asSlice(offset, lengthBytes);
    });
    if (waitsForHost) {
      unpinned.bringIn(range);
    }
    if (advice == MrAdvice.PREFETCH_NO_FAULT || mr.isUnpinned()) {
      return;
    }
    if (wait) {
      touch(mr, range, advice == MrAdvice.PREFETCH_WRITE);
    } else {
      PageAdvice.willNeed(range);
    }
  }

  /** Touches the range piece by piece, so that a concurrent deregistration of the region does not wait long. */
  private static void touch(Mr mr, MemorySegment range, boolean write) {
    for (long at = 0; at < range.byteSize(); at += TOUCHED_BYTES) {
      if (!mr.touch(range.asSlice(at, Math.min(TOUCHED_BYTES, range.byteSize() - at)), write)) {
        throw new VerbsException(Errno.EINVAL, mr + " was deregistered, or its Arena closed, while its pages were loaded");
      }
    }
  }

  public Dm allocDm(long lengthBytes) {
    checkLength(lengthBytes);
    if (settings.deviceMemoryMaxBytes() == 0) {
      throw new VerbsException(Errno.EOPNOTSUPP, "the HCA has no device memory; set weft.hca.device-memory-max");
    }
    return calls.control(() -> {
      long left = settings.deviceMemoryMaxBytes() - deviceBytes;
      if (lengthBytes > left) {
        throw new VerbsException(Errno.ENOMEM, "no room for " + lengthBytes + " bytes of device memory: " + left + " of "
            + settings.deviceMemoryMaxBytes() + " bytes are free; raise weft.hca.device-memory-max");
      }
      Dm dm = new Dm(hca, lengthBytes);
      deviceBytes += lengthBytes;
      return dm;
    });
  }

  public PdBuf allocBuffer(Pd pd, long lengthBytes) {
    checkLength(lengthBytes);
    return calls.control(() -> {
      if (pd.deallocated) {
        throw new VerbsException(Errno.EINVAL, "protection domain " + pd.handle() + " is deallocated");
      }
      PdBuf buffer = new PdBuf(pd, lengthBytes);
      pd.useCount++;
      return buffer;
    });
  }

  private static void checkLength(long lengthBytes) {
    if (lengthBytes <= 0) {
      throw new VerbsException(Errno.EINVAL, "the length is " + lengthBytes + " bytes, must be at least 1");
    }
  }

  public void free(HeldMemory held) {
    calls.giveBack(() -> {
      if (held.freed || held.hca != hca) {
        throw new VerbsException(Errno.EINVAL, held.freed ? "the memory is freed already"
            : "the memory belongs to the HCA of " + held.hca.nodeName());
      }
      if (held.regions > 0) {
        throw new VerbsException(Errno.EBUSY, "the memory has " + held.regions + " regions; deregister them first");
      }
      held.free();
      switch (held) {
        case Dm dm -> deviceBytes -= dm.length();
        case PdBuf buffer -> buffer.pd().useCount--;
      }
      return null;
    });
  }
}
