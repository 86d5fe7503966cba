package dev.weft.nbd;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.aeron.CncFileDescriptor;
import io.aeron.driver.status.SystemCounterDescriptor;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/** What a running media driver tells of itself in its shared memory. */
final class MediaDriverOf {
  private MediaDriverOf() {}

  static long pid(WeftProcess weft) {
    return pid(weft.driverDirectory());
  }

  static long pid(Path directory) {
    return read(directory, (meta, counters) -> CncFileDescriptor.pid(meta));
  }

  /** Frames that it has sent again because the other side missed them. */
  static long retransmits(WeftProcess weft) {
    return read(weft.driverDirectory(), (meta, counters) -> counters.getCounterValue(SystemCounterDescriptor.RETRANSMITS_SENT.id()));
  }

  private interface Reading {
    long of(UnsafeBuffer meta, CountersReader counters);
  }

  private static long read(Path directory, Reading reading) {
    Path file = directory.resolve(CncFileDescriptor.CNC_FILE);
    assertTrue(Files.exists(file), "no media driver in " + file);
    MappedByteBuffer mapped = IoUtil.mapExistingFile(file.toFile(), FileChannel.MapMode.READ_ONLY, "cnc");
    try {
      UnsafeBuffer meta = CncFileDescriptor.createMetaDataBuffer(mapped);
      return reading.of(meta, new CountersReader(CncFileDescriptor.createCountersMetaDataBuffer(mapped, meta),
          CncFileDescriptor.createCountersValuesBuffer(mapped, meta)));
    } finally {
      IoUtil.unmap(mapped);
    }
  }
}
