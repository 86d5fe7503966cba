package dev.weft.perftest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.hca.cm.ConnectionManager;
import dev.weft.hca.verbs.QpType;
import org.junit.jupiter.api.Test;

class HandshakeTest {
  @Test
  void shouldReadWhatItWrote() {
    Handshake.Open open = new Handshake.Open(PerfTest.of("write-imm-bw"), QpType.UC, true, 70000, 128, 16, 70016, 256,
        0x7f00_1234_5678L, -5);
    assertEquals(open, Handshake.Open.decode(open.encode()));
    Handshake.Opened opened = new Handshake.Opened(9, -1L, 77);
    assertEquals(opened, Handshake.Opened.decode(opened.encode()));
    Handshake.Report report = new Handshake.Report(5, 1, 1L << 40, 3, "message 4 differs at byte 2");
    assertEquals(report, Handshake.Report.decode(report.encode()));
  }

  @Test
  void shouldFitIntoPrivateDataHoweverLongTheErrorIs() {
    assertTrue(new Handshake.Report(5, 1, 2, 3, "x".repeat(500)).encode().length <= ConnectionManager.PRIVATE_DATA_BYTES_MAX);
  }

  @Test
  void shouldRefuseWhatItDidNotWrite() {
    assertThrows(IllegalArgumentException.class, () -> Handshake.Open.decode(new byte[192]));
    assertThrows(IllegalArgumentException.class, () -> Handshake.Opened.decode(new byte[3]));
    byte[] broken = new Handshake.Open(PerfTest.of("read-lat"), QpType.RC, false, 8, 1, 1, 64, 0, 1, 1).encode();
    broken[4] = 99;
    assertThrows(IllegalArgumentException.class, () -> Handshake.Open.decode(broken));
  }
}
