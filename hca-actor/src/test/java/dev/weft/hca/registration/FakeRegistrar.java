package dev.weft.hca.registration;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Keeps book of what is registered. */
final class FakeRegistrar implements Registrar {
  static final class Keys implements RegisteredMemory {
    final MemorySegment memory;
    final int access;
    final boolean fast;
    final int key;
    boolean valid = true;

    Keys(MemorySegment memory, int access, boolean fast, int key) {
      this.memory = memory;
      this.access = access;
      this.fast = fast;
      this.key = key;
    }

    @Override
    public int lkey() {
      return key;
    }

    @Override
    public int rkey() {
      return key;
    }

    @Override
    public boolean isPinned() {
      return true;
    }

    @Override
    public boolean isValid() {
      return valid;
    }
  }

  final Set<Keys> registered = new LinkedHashSet<>();
  final List<Integer> batches = new ArrayList<>();
  int singles;
  int regionsMax = Integer.MAX_VALUE;
  int fastRegistrations;
  private int keys;

  @Override
  public RegisteredMemory register(MemorySegment memory, int access, boolean fast) {
    if (registered.size() >= regionsMax) {
      throw new VerbsException(VerbsException.Errno.ENOMEM, "full");
    }
    fastRegistrations += fast ? 1 : 0;
    Keys made = new Keys(memory, access, fast, ++keys);
    registered.add(made);
    return made;
  }

  @Override
  public void deregister(RegisteredMemory given, long lengthBytes) {
    remove(given, lengthBytes);
    singles++;
  }

  @Override
  public void deregisterAll(List<RegisteredMemory> given, List<Long> lengthsBytes) {
    for (int i = 0; i < given.size(); i++) {
      remove(given.get(i), lengthsBytes.get(i));
    }
    batches.add(given.size());
  }

  private void remove(RegisteredMemory given, long lengthBytes) {
    Keys known = (Keys) given;
    assertTrue(registered.remove(known), "deregistered twice");
    assertTrue(known.memory.byteSize() == lengthBytes, "length");
  }

  long bytes() {
    return registered.stream().mapToLong(k -> k.memory.byteSize()).sum();
  }

  boolean holds(int key) {
    return registered.stream().anyMatch(k -> k.key == key);
  }
}
