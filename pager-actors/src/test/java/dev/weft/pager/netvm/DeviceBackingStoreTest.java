package dev.weft.pager.netvm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.netvm.AddressSpace;
import dev.weft.hca.netvm.HostVm;
import dev.weft.hca.netvm.NetVmSettings;
import dev.weft.hca.netvm.VmProcessor;
import dev.weft.pager.Errno;
import dev.weft.pager.RamBlockDevice;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class DeviceBackingStoreTest {
  private static final int PAGE = 4096;
  private static final int PAGES = 32;

  private static HostVm vm(RamBlockDevice device) {
    return new HostVm(new NetVmSettings(PAGE, 4, PAGES, 1, 8, 1 << 20), new DeviceBackingStore(device, PAGE), VmProcessor.DIRECT);
  }

  private static AddressSpace space(HostVm vm) {
    AddressSpace space = vm.createSpace();
    space.map(space.base(), (long) PAGES * PAGE);
    return space;
  }

  @Test
  void shouldKeepPagesOnTheDevice() {
    try (ExecutorService disk = Executors.newSingleThreadExecutor();
        RamBlockDevice device = new RamBlockDevice((long) PAGES * PAGE, PAGE, 2, disk); HostVm vm = vm(device)) {
      AddressSpace space = space(vm);
      byte[] model = new byte[PAGES * PAGE];
      new Random(9).nextBytes(model);
      for (int round = 0; round < 3; round++) {
        model[round * 5000]++;
        space.write(space.base(), MemorySegment.ofArray(model));
        byte[] seen = new byte[model.length];
        space.read(space.base(), MemorySegment.ofArray(seen));
        assertArrayEquals(model, seen);
      }
      assertTrue(vm.snapshot().pageOuts() >= PAGES);
      assertTrue(device.borrowedPeak() <= 2);
    }
  }

  @Test
  void shouldTakeMemoryAwayThatTheDeviceHasLost() {
    try (RamBlockDevice device = new RamBlockDevice((long) PAGES * PAGE); HostVm vm = vm(device)) {
      AddressSpace space = space(vm);
      space.write(space.base(), MemorySegment.ofArray(new byte[PAGES * PAGE]));
      device.failWith(command -> Errno.EIO);
      assertThrows(IllegalStateException.class, () -> space.read(space.base(), MemorySegment.ofArray(new byte[PAGES * PAGE])));
      assertEquals(0, device.borrowedCount());
      assertTrue(vm.snapshot().failures() > 0);
    }
  }

  @Test
  void shouldRefuseADeviceWithTooSmallRequests() {
    try (RamBlockDevice device = new RamBlockDevice(PAGE, 1024, 2, Runnable::run)) {
      assertThrows(IllegalArgumentException.class, () -> new DeviceBackingStore(device, PAGE));
    }
  }
}
