package dev.weft.pvfs.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class MemoryStoreTest extends StoreContract {
  private final MemoryDisk disk = new MemoryDisk("disk of the test");

  @Override
  MetadataStore open() {
    return disk.open();
  }

  @Test
  void shouldLoseWholeBatchesBehindTheLastSyncInACrash() {
    for (long seed = 0; seed < 100; seed++) {
      MemoryDisk crashed = new MemoryDisk("crashed");
      MemoryStore store = crashed.open();
      store.commit(batch("a", "0", "b", "0"), false);
      store.commit(batch("a", "1", "b", "1"), true);
      store.commit(batch("a", "2", "b", "2"), false);
      store.commit(batch("a", "3", "b", "3", "c", "3"), false);
      int lost = crashed.crash(new Random(seed));
      assertFalse(store.isOpen());
      MemoryStore again = crashed.open();
      assertArrayEquals(bytes(String.valueOf(3 - lost)), again.get(bytes("a")));
      assertArrayEquals(again.get(bytes("a")), again.get(bytes("b")));
      assertEquals(lost == 0, again.get(bytes("c")) != null);
    }
  }

  @Test
  void shouldLoseWhatWasSyncedWhenThatFaultIsPlanted() {
    MemoryStore store = disk.open();
    disk.loseSyncs();
    store.commit(batch("a", "1"), true);
    assertEquals(1, disk.crash(1));
    assertNull(disk.open().get(bytes("a")));
  }

  @Test
  void shouldBeUsableAndAsBeforeAfterACommitThatFailed() {
    MemoryStore store = disk.open();
    disk.failAfter(1);
    store.commit(batch("a", "1"), true);
    assertThrows(StoreException.class, () -> store.commit(batch("a", "2", "b", "2"), true));
    assertTrue(store.isOpen());
    assertArrayEquals(bytes("1"), store.get(bytes("a")));
    assertNull(store.get(bytes("b")));
    store.commit(batch("a", "3"), true);
    assertArrayEquals(bytes("3"), store.get(bytes("a")));
  }

  @Test
  void shouldNotLoseWhatAStoreHasReadAfterACommitOfWhichNobodyKnew() {
    MemoryStore store = disk.open();
    disk.failUnsure(true);
    assertThrows(StoreException.class, () -> store.commit(batch("a", "1"), true));
    assertArrayEquals(bytes("1"), disk.open().get(bytes("a")), "who opens it may tell others");
    assertEquals(0, disk.crash(1));
    assertArrayEquals(bytes("1"), disk.open().get(bytes("a")));
  }
}
