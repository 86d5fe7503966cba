package dev.weft.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class SizeConverterTest {
  @ParameterizedTest
  @CsvSource({"0, 0", "4096, 4096", "64K, 65536", "64k, 65536", "64KiB, 65536", "64 KB, 65536", "1G, 1073741824", "2T, 2199023255552"})
  void shouldTakeBytesAndPowersOf1024(String text, long bytes) {
    assertEquals(bytes, new SizeConverter().convert(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "64Q", "1.5G", "K"})
  void shouldRefuseWhatIsNoSize(String text) {
    TypeConversionException refused = assertThrows(TypeConversionException.class, () -> new SizeConverter().convert(text));
    assertTrue(refused.getMessage().contains("is not a size; write for example 64K"), refused.getMessage());
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1000, 1000", "65536, 64K", "1536, 1536", "1572864, 1536K", "1073741824, 1G", "2251799813685248, 2048T", "-1024, -1024"})
  void shouldPrintASizeWithTheLargestUnitThatDividesIt(long bytes, String text) {
    assertEquals(text, SizeConverter.text(bytes));
  }

  @Test
  void shouldRefuseWhatDoesNotFit() {
    assertEquals("'99999999T' is too large for a number of bytes",
        assertThrows(TypeConversionException.class, () -> new SizeConverter().convert("99999999T")).getMessage());
    assertEquals(1 << 30, new SizeConverter.OfInt().convert("1G"));
    assertEquals("'2G' is too large; at most 2147483647 bytes",
        assertThrows(TypeConversionException.class, () -> new SizeConverter.OfInt().convert("2G")).getMessage());
  }
}
