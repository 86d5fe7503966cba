package dev.weft.pvfs.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What every store does. */
abstract class StoreContract {
  /** Opens the one store of the test, as it was left. */
  abstract MetadataStore open() throws Exception;

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static Batch batch(String... keysAndValues) {
    Batch batch = new Batch();
    for (int at = 0; at < keysAndValues.length; at += 2) {
      batch.put(bytes(keysAndValues[at]), bytes(keysAndValues[at + 1]));
    }
    return batch;
  }

  static String keys(List<MetadataStore.Entry> entries) {
    return entries.stream().map(entry -> new String(entry.key(), StandardCharsets.ISO_8859_1)).collect(Collectors.joining(","));
  }

  @Test
  void shouldGiveBackWhatWasCommittedAlsoWhenItIsOpenedAgain() throws Exception {
    try (MetadataStore store = open()) {
      assertNull(store.get(bytes("a")));
      store.commit(batch("a", "1", "b", "", "c", "3"), true);
      Batch change = batch("a", "2");
      change.delete(bytes("c"));
      change.delete(bytes("never there"));
      store.commit(change, false);
      assertArrayEquals(bytes("2"), store.get(bytes("a")));
    }
    try (MetadataStore store = open()) {
      assertArrayEquals(bytes("2"), store.get(bytes("a")));
      assertArrayEquals(new byte[0], store.get(bytes("b")));
      assertNull(store.get(bytes("c")));
    }
  }

  @Test
  void shouldScanAPrefixInTheOrderOfUnsignedBytes() throws Exception {
    try (MetadataStore store = open()) {
      store.commit(batch("D", "", "Da", "", "D\u00ff", "", "D\u00ff\u00ff", "", "D\u0000", "", "C\u00ff", "", "E", ""), true);
      assertEquals("D,D\u0000,Da,D\u00ff,D\u00ff\u00ff", keys(store.scan(bytes("D"), bytes("D"), 100)));
      assertEquals("D,D\u0000", keys(store.scan(bytes("D"), new byte[0], 2)));
      assertEquals("Da,D\u00ff", keys(store.scan(bytes("D"), bytes("D\u0001"), 2)));
      assertEquals("", keys(store.scan(bytes("D"), bytes("E"), 2)));
      assertEquals("D\u00ff\u00ff", keys(store.scan(bytes("D\u00ff"), bytes("D\u00ff\u0000"), 100)));
      assertEquals(7, store.scan(new byte[0], new byte[0], 100).size());
    }
  }

  @Test
  void shouldAgreeWithASortedMap() throws Exception {
    Random random = new Random(11);
    TreeMap<byte[], byte[]> model = new TreeMap<>(Batch.ORDER);
    for (int round = 0; round < 4; round++) {
      try (MetadataStore store = open()) {
        for (int commit = 0; commit < 50; commit++) {
          store.commit(randomBatch(random, model), random.nextInt(10) == 0);
        }
        byte[] from = key(random);
        assertEquals(keys(model.tailMap(from).entrySet().stream().map(e -> new MetadataStore.Entry(e.getKey(), e.getValue())).toList()),
            keys(store.scan(new byte[0], from, MetadataStore.SCAN_MAX)));
        model.forEach((key, value) -> assertArrayEquals(value, store.get(key)));
      }
    }
  }

  private static byte[] key(Random random) {
    byte[] key = new byte[1 + random.nextInt(2)];
    random.nextBytes(key);
    return key;
  }

  private static Batch randomBatch(Random random, TreeMap<byte[], byte[]> model) {
    Batch batch = new Batch();
    for (int change = 0; change < 8; change++) {
      byte[] key = key(random);
      if (random.nextInt(3) == 0) {
        batch.delete(key);
        model.remove(key);
      } else {
        byte[] value = key(random);
        batch.put(key, value);
        model.put(key, value);
      }
    }
    return batch;
  }

  @Test
  void shouldRefuseASecondManagerAndTakeOneWhenTheFirstIsGone() throws Exception {
    MetadataStore first = open();
    String refusal = assertThrows(StoreException.class, this::open).getMessage();
    assertTrue(refusal.contains("in use by another manager"), refusal);
    first.commit(batch("a", "1"), true);
    first.close();
    first.close();
    open().close();
  }

  @Test
  void shouldSayThatItIsClosed() throws Exception {
    MetadataStore store = open();
    assertTrue(store.isOpen());
    store.close();
    assertFalse(store.isOpen());
    for (String message : List.of(assertThrows(StoreException.class, () -> store.get(bytes("a"))).getMessage(),
        assertThrows(StoreException.class, () -> store.commit(batch("a", "b"), true)).getMessage(),
        assertThrows(StoreException.class, () -> store.scan(bytes("a"), bytes("a"), 1)).getMessage())) {
      assertTrue(message.endsWith("is closed"), message);
    }
  }

  @Test
  void shouldRefuseAScanWithoutALimit() throws Exception {
    try (MetadataStore store = open()) {
      assertEquals("limit of a scan is 0, must be from 1 to 4096",
          assertThrows(IllegalArgumentException.class, () -> store.scan(bytes("a"), bytes("a"), 0)).getMessage());
    }
  }
}
