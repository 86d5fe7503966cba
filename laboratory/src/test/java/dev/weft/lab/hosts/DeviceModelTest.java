package dev.weft.lab.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.lab.figures.Figures;
import dev.weft.lab.hosts.DeviceModel.Io;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeviceModelTest {
  private static final SwapProfile PROFILE = SwapProfile.load("ib-2005-xeon", Figures.load().calibration());
  private static final long MS = 1_000_000;

  @Test
  void shouldNeitherSeekNorTurnForWhatFollows() {
    DiskModel disk = new DiskModel(PROFILE, 1);
    disk.serviceNs(new Io(true, 1 << 20, 4096), 0);
    long follows = disk.serviceNs(new Io(false, (1 << 20) + 4096, 1 << 17), 0);
    assertEquals(PROFILE.hardware().disk().readNs(1 << 17), follows);
    long jumps = disk.serviceNs(new Io(false, 0, 1 << 17), 0);
    assertTrue(jumps > follows + 4 * MS, "half a turn of 8.3 ms and a seek, but " + jumps);
  }

  @Test
  void shouldSeekAsLongAsTheDataSheetSays() {
    DiskModel disk = new DiskModel(PROFILE, 1);
    assertEquals(8.5, disk.seekNs(40_000_000_000L / 3) / 1e6, 0.01);
    assertTrue(disk.seekNs(1 << 20) < 1.2 * MS);
  }

  @Test
  void shouldServeUpwardsAndBeginAnewAtTheLowest() {
    DiskModel disk = new DiskModel(PROFILE, 1);
    disk.serviceNs(new Io(true, 100_000, 4096), 0);
    List<Io> waiting = List.of(new Io(true, 50_000, 512), new Io(true, 300_000, 512), new Io(true, 200_000, 512), new Io(true, 10_000, 512));
    assertEquals(2, disk.next(waiting));
    assertEquals(3, disk.next(List.of(waiting.get(0), waiting.get(0), waiting.get(0), waiting.get(3))));
  }

  @Test
  void shouldMergeOnlyNeighboursOfOneKindUpToTheLongestRequest() {
    DiskModel disk = new DiskModel(PROFILE, 1);
    assertTrue(disk.merges(new Io(true, 0, 4096), new Io(true, 4096, 4096)));
    assertFalse(disk.merges(new Io(true, 0, 4096), new Io(false, 4096, 4096)));
    assertFalse(disk.merges(new Io(true, 0, 4096), new Io(true, 8192, 4096)));
    assertFalse(disk.merges(new Io(true, 0, 128 << 10), new Io(true, 128 << 10, 4096)));
  }

  @Test
  void shouldMakeTcpPayForBothWaysAndTheServersCopy() {
    TcpModel tcp = new TcpModel(PROFILE, "ipoib");
    TcpCosts ipoib = TcpCosts.of(PROFILE.hardware().name(), "ipoib");
    MemoryCosts memory = PROFILE.hardware().memory();
    int length = 1 << 17;
    long ns = tcp.serviceNs(new Io(true, 0, length), 0);
    assertEquals(ipoib.messageNs(length + 28, memory) + ipoib.messageNs(16, memory) + PROFILE.transferNs("server.write-rate", length), ns);
    assertTrue(tcp.serviceNs(new Io(false, 0, length), 0) < ns, "reading the RAM disk is quicker than writing it");
  }
}
