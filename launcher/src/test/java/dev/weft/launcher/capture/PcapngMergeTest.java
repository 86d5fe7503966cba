package dev.weft.launcher.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.capture.LiveCapture;
import dev.weft.fabric.capture.Pcapng;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class PcapngMergeTest {
  private static final int PACKET_LENGTH = 32;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private PcapngMerge merge(long packetsMax, long bytesMax) throws IOException {
    return merge(out, packetsMax, bytesMax, Long.MAX_VALUE);
  }

  private static PcapngMerge merge(OutputStream out, long packetsMax, long bytesMax, long quietMaxNs) throws IOException {
    PcapngMerge merge = new PcapngMerge(out, packetsMax, bytesMax, quietMaxNs);
    List<byte[]> interfaces = new ArrayList<>();
    byte[] section = null;
    for (String name : new String[] {"one", "two"}) {
      BlockReader reader = new BlockReader(new ByteArrayInputStream(LiveCapture.preamble(name)));
      section = reader.next(Pcapng.SECTION_HEADER);
      interfaces.add(reader.next(Pcapng.INTERFACE_DESCRIPTION));
    }
    merge.begin(section, interfaces);
    return merge;
  }

  private static byte[] packet(long timeNs) {
    byte[] block = new byte[PACKET_LENGTH];
    Pcapng.wrap(block).putInt(Pcapng.ENHANCED_PACKET).putInt(PACKET_LENGTH).putInt(0).putInt((int) (timeNs >>> 32)).putInt((int) timeNs)
        .putInt(PACKET_LENGTH - 4, PACKET_LENGTH);
    return block;
  }

  private static byte[] statistics(long timeNs, long dropped) {
    byte[] block = new byte[Pcapng.STATISTICS_LENGTH];
    Pcapng.putStatistics(Pcapng.wrap(block), 0, timeNs, dropped, dropped);
    return block;
  }

  /** Of each packet the interface and the time, and of the statistics interface, received, dropped. */
  private List<String> written() throws IOException {
    List<String> all = new ArrayList<>();
    BlockReader reader = new BlockReader(new ByteArrayInputStream(out.toByteArray()));
    for (byte[] block = reader.next(); block != null; block = reader.next()) {
      ByteBuffer view = Pcapng.wrap(block);
      int number = view.getInt(Pcapng.INTERFACE_OFFSET);
      switch (BlockReader.typeOf(block)) {
        case Pcapng.ENHANCED_PACKET -> all.add(number + "@" + Pcapng.timeNs(view));
        case Pcapng.INTERFACE_STATISTICS -> all.add(number + ":" + view.getLong(Pcapng.RECEIVED_OFFSET) + "-" + view.getLong(Pcapng.DROPPED_OFFSET));
        default -> { }
      }
    }
    return all;
  }

  @Test
  void shouldPutThePacketsOfTwoJvmsInOrderOfTime() throws IOException {
    PcapngMerge merge = merge(Long.MAX_VALUE, Long.MAX_VALUE);
    merge.add(0, packet(10), false);
    assertEquals(List.of(), written(), "the other one may still send something earlier");
    merge.add(1, packet(5), false);
    merge.add(1, packet(20), false);
    assertEquals(List.of("1@5", "0@10"), written());
    merge.add(0, statistics(30, 7), false);
    assertEquals(List.of("1@5", "0@10", "1@20"), written(), "the other one had nothing earlier");
    merge.add(0, packet(40), false);
    merge.finish();
    assertEquals(List.of("1@5", "0@10", "1@20", "0@40", "0:9-7", "1:2-0"), written());
    assertEquals(4, merge.packets());
    assertEquals(List.of(7L, 0L), merge.dropped());
  }

  @Test
  void shouldNotWaitForAJvmThatHasEndedAndEndWithTheLast() throws Exception {
    PcapngMerge merge = merge(Long.MAX_VALUE, Long.MAX_VALUE);
    merge.add(0, packet(10), false);
    merge.ended(1);
    assertEquals(List.of("0@10"), written());
    merge.ended(0);
    assertEquals("all of them have ended", merge.awaitEnd(Long.MAX_VALUE));
  }

  @Test
  void shouldEndAfterSoManyPackets() throws Exception {
    PcapngMerge merge = merge(2, Long.MAX_VALUE);
    merge.ended(1);
    assertTrue(merge.add(0, packet(10), true));
    assertFalse(merge.add(0, packet(11), true));
    assertFalse(merge.add(0, packet(12), true));
    assertEquals("", merge.awaitEnd(Long.MAX_VALUE));
    merge.finish();
    assertEquals(List.of("0@10", "0@11", "0:2-0", "1:0-0"), written());
  }

  @Test
  void shouldNeverExceedTheFileSize() throws Exception {
    PcapngMerge merge = merge(Long.MAX_VALUE, 500);
    merge.ended(1);
    boolean more = true;
    for (int i = 0; more; i++) {
      more = merge.add(0, packet(i), true);
    }
    assertTrue(merge.awaitEnd(Long.MAX_VALUE).contains("max-file-size"));
    merge.finish();
    assertTrue(out.size() <= 500 && out.size() > 500 - PACKET_LENGTH, out.size() + " bytes");
  }

  @Test
  void shouldNotHoldBackMoreThanItMay() throws IOException {
    PcapngMerge merge = merge(Long.MAX_VALUE, Long.MAX_VALUE);
    for (int i = 0; i < (20 << 20) / PACKET_LENGTH; i++) {
      assertTrue(merge.add(0, packet(i), false));
    }
    assertTrue(out.size() >= 4 << 20, out.size() + " bytes");
  }

  @Test
  void shouldEndWhenTheFileCannotBeWritten() throws Exception {
    PcapngMerge merge = new PcapngMerge(new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw new IOException("no room");
      }
    }, 1, Long.MAX_VALUE, Long.MAX_VALUE);
    assertThrows(IOException.class, () -> merge.begin(new byte[4], List.of()));
  }

  @Test
  void shouldEndWhenTheDiskBecomesFull() throws Exception {
    PcapngMerge merge = merge(new OutputStream() {
      private int left = 1000;

      @Override
      public void write(int b) throws IOException {
        if (--left < 0) {
          throw new IOException("no room");
        }
      }
    }, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
    merge.ended(1);
    int added = 0;
    while (merge.add(0, packet(added), false)) {
      added++;
    }
    assertTrue(added < 1000 / PACKET_LENGTH, added + " packets");
    assertEquals("", merge.awaitEnd(Long.MAX_VALUE));
    assertEquals("no room", assertThrows(IOException.class, merge::finish).getMessage());
  }

  @Test
  void shouldWriteStatisticsToAPipeWhileThereAreNoPackets() throws IOException {
    PcapngMerge merge = merge(out, Long.MAX_VALUE, Long.MAX_VALUE, 0);
    merge.add(1, statistics(30, 7), false);
    merge.add(0, statistics(30, 0), false);
    assertEquals(List.of("1:7-7", "0:0-0"), written());
  }

  /** Who reads a pipe may stop doing so; Ctrl-C ends the capture all the same. */
  @Test
  void shouldEndWhileTheOutputIsStuck() throws Exception {
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch unread = new CountDownLatch(1);
    AtomicBoolean reads = new AtomicBoolean(true);
    PcapngMerge merge = merge(new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        if (!reads.get()) {
          stuck.countDown();
          try {
            unread.await();
          } catch (InterruptedException e) {
            throw new IOException(e);
          }
        }
      }
    }, Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
    merge.ended(1);
    reads.set(false);
    Thread writer = Thread.ofPlatform().start(() -> merge.add(0, packet(1), false));
    stuck.await();
    merge.end("interrupted");
    assertEquals("interrupted", merge.awaitEnd(Long.MAX_VALUE));
    unread.countDown();
    writer.join();
  }

  @Test
  void shouldSayThatItIsNoCapture() throws IOException {
    BlockReader text = new BlockReader(new ByteArrayInputStream("HTTP/1.1 200 OK and so on".getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
    assertTrue(assertThrows(IOException.class, text::next).getMessage().contains("not a capture of Weft"));
    BlockReader cut = new BlockReader(new ByteArrayInputStream(packet(1), 0, 20));
    assertThrows(EOFException.class, cut::next);
    BlockReader other = new BlockReader(new ByteArrayInputStream(packet(1)));
    assertThrows(IOException.class, () -> other.next(Pcapng.SECTION_HEADER));
  }
}
