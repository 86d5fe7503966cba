package dev.weft.lab.seed002.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.seed002.files.SmallWrites.Scheme;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What must hold of Figures 7 to 14 of seed 002, with few operations. */
@Tag("slow")
class FileClusterTest {
  private static final HardwareProfile XEON = HardwareProfile.load("ib-2003-xeon");
  private static final Files RAMFS = new Files(1057L << 20, 556L << 20);
  private static final Files EXT3 = new Files(20L << 20, 25L << 20);

  private static Contiguous.Result contiguous(Transport transport, Files files, int ioNodes, int computeNodes) {
    return Contiguous.run(XEON, 1, new Setup(transport, files, ioNodes, computeNodes));
  }

  @Test
  void shouldTakeTheSameTimeTwice() {
    assertEquals(contiguous(Transport.VERBS, RAMFS, 2, 2), contiguous(Transport.VERBS, RAMFS, 2, 2));
  }

  @Test
  void shouldCarryMoreByVerbsThanByTcpAndUseLessOfTheProcessor() {
    Contiguous.Result verbs = contiguous(Transport.VERBS, RAMFS, 2, 1);
    Contiguous.Result tcp = contiguous(Transport.TCP, RAMFS, 2, 1);
    assertTrue(verbs.read().rate() > 2 * tcp.read().rate() && verbs.write().rate() > 2 * tcp.write().rate(), verbs + " " + tcp);
    assertTrue(verbs.read().busyPercent() < tcp.read().busyPercent() / 10, verbs + " " + tcp);
  }

  @Test
  void shouldBeNoFasterThanTheDiskAndFasterByVerbs() {
    Contiguous.Result verbs = contiguous(Transport.VERBS, EXT3, 1, 1);
    Contiguous.Result tcp = contiguous(Transport.TCP, EXT3, 1, 1);
    assertTrue(verbs.write().rate() <= 25 && verbs.write().rate() > 24 && verbs.read().rate() <= 20, verbs::toString);
    assertTrue(tcp.write().rate() < verbs.write().rate() && tcp.read().rate() < verbs.read().rate(), verbs + " " + tcp);
  }

  @Test
  void shouldGainByListIoOverEitherTransport() {
    for (Transport transport : Transport.values()) {
      Contiguous.Result separate = Tiles.run(XEON, 1, transport, RAMFS, 1, 64);
      Contiguous.Result listed = Tiles.run(XEON, 1, transport, RAMFS, Tiles.LISTED, 64);
      assertTrue(listed.read().ns() < separate.read().ns() && listed.write().ns() < separate.write().ns(), separate + " " + listed);
    }
  }

  private static double us(Scheme scheme, int bytes) {
    return SmallWrites.ns(XEON, 1, RAMFS, scheme, bytes, 8) / 1e3;
  }

  @Test
  void shouldOrderTheSchemesOfSmallWritesAsThePaperDoes() {
    int bytes = 16 << 10;
    double inline = us(Scheme.INLINE, bytes);
    double fast = us(Scheme.FAST, bytes);
    double server = us(Scheme.SERVER, bytes);
    double miss = us(Scheme.SERVER_MISS, bytes);
    double fmrd = us(Scheme.SERVER_FMRD, bytes);
    double fastMiss = us(Scheme.FAST_MISS, bytes);
    String all = inline + " " + fast + " " + server + " " + miss + " " + fmrd + " " + fastMiss;
    assertTrue(fast < inline && fast < server && fast < fastMiss, all);
    assertTrue(server < fmrd && fmrd < miss && fastMiss < fmrd, all);
  }

  @Test
  void shouldOverlapNetworkAndFileSystemLessWithLongerTransfers() {
    double small = Pipeline.run(XEON, 1, RAMFS, 1 << 20).write().rate();
    double large = Pipeline.run(XEON, 1, RAMFS, 8 << 20).write().rate();
    assertTrue(small > 1.05 * large, small + " " + large);
  }

  @Test
  void shouldChargeForRegistrationBeforeTheRequest() {
    int[] buffers = {0, 1, 2, 3, 4, 5, 6, 7};
    double none = Reuse.ns(XEON, 1, RAMFS, "static", 8, 64 << 10, buffers);
    double dynamic = Reuse.ns(XEON, 1, RAMFS, "dynamic", 8, 64 << 10, buffers);
    double charged = XEON.memory().registrationNs(64 << 10) + XEON.memory().deregistrationNs(64 << 10);
    assertEquals(none + charged, dynamic, 0.05 * charged);
  }
}
