package dev.weft.lab.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.lab.figures.Calibration;
import dev.weft.lab.figures.Figures;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SwapProfileTest {
  private static final Calibration CALIBRATION = Figures.load().calibration();
  private static final HardwareProfile HARDWARE = HardwareProfile.load("ib-2005-xeon");

  @Test
  void shouldConvertTheUnitsOfTheFile() {
    SwapProfile profile = SwapProfile.load("ib-2005-xeon", CALIBRATION);
    assertEquals(2_000, profile.us("kernel.fault"));
    assertEquals(1_000_000_000L, profile.transferNs("server.write-rate", 556L << 20));
    assertEquals(100, profile.with(Map.of("disk.capacity", 100.0)).value("disk.capacity"));
    assertThrows(IllegalArgumentException.class, () -> profile.value("disk.colour"));
    assertThrows(IllegalArgumentException.class, () -> profile.with(Map.of("disk.colour", 1.0)));
  }

  @Test
  void shouldReadWhatTheHardwareProfileHasToo() {
    SwapProfile profile = SwapProfile.load("ib-2005-xeon", CALIBRATION);
    assertEquals(HARDWARE.cpu().interruptNs(), profile.us("kernel.interrupt"));
    assertEquals(HARDWARE.cpu().schedulingNs(), profile.us("kernel.schedule"));
    assertEquals(HARDWARE.memory().copyBytesPerSecond(), profile.bytesPerSecond("memory.copy-rate"));
    assertEquals(HARDWARE.memory().copyBytesPerSecond(), profile.bytesPerSecond("server.read-rate"));
    assertEquals(HARDWARE.memory().pageFaultNs(), profile.us("kernel.user-fault"));
    assertEquals(HARDWARE.memory().registerNs(), profile.us("registration.call"));
    assertEquals(HARDWARE, profile.hardware());
    assertTrue(refused("name = x, m { a = { hardware = disk.colour, source = y } }").contains("disk.colour"));
  }

  @Test
  void shouldRefuseAProfileThatReadsAPredictRow() {
    String message = refused("name = x, m { a = { value = 8.4, source = \"row hpbd.testswap.hpbd\" } }");
    assertTrue(message.contains("only calibrate rows may be read"), message);
  }

  @Test
  void shouldRefuseANumberThatIsNotItsRows() {
    String message = refused("name = x, m { a = { value = 9, source = \"rows clan.irq + clan.sched\" } }");
    assertTrue(message.contains("m.a is 9.0") && message.contains("11.0"), message);
  }

  @Test
  void shouldRefuseNumbersWithoutSourceAndUnknownProfiles() {
    assertTrue(refused("name = x, m { a = { value = 9, source = \"\" } }").contains("no source"));
    assertTrue(assertThrows(IllegalArgumentException.class, () -> SwapProfile.load("abacus", CALIBRATION)).getMessage().contains("abacus"));
  }

  private static String refused(String text) {
    return assertThrows(IllegalArgumentException.class,
        () -> SwapProfile.parse(ConfigFactory.parseString(text), CALIBRATION, HARDWARE)).getMessage();
  }
}
