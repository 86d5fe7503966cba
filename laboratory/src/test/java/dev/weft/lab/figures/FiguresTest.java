package dev.weft.lab.figures;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FiguresTest {
  private static final String HEADER = "id,seed,where,subject,configuration,metric,value,unit,use\n";

  @Test
  void shouldReadEveryRowThatShips() {
    Figures figures = Figures.load();
    assertTrue(figures.all().size() > 100);
    Figure row = figures.find("dsm.poll.fault").orElseThrow();
    assertEquals(3, row.low().getAsDouble());
    assertEquals(7, row.high().getAsDouble());
    assertTrue(figures.find("hpbd.servers").orElseThrow().isOrder());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
      "a.b,001,1,x,y,time,5,us,guess      | use 'guess'",
      "a.b,001,1,x,y,time,five,us,predict | neither a number",
      "a.b,001,1,x,y,time,7-3,us,predict  | starts above",
      "a.b,1,1,x,y,time,5,us,predict      | three digits",
      "A b,001,1,x,y,time,5,us,predict    | joined by dots",
      "a.b,001,1,x,y,time,5,us            | 8 columns",
      "a.b,001,1,,y,time,5,us,predict     | must not be empty"})
  void shouldSayWhatIsWrongWithARow(String row, String expected) {
    IllegalArgumentException wrong = assertThrows(IllegalArgumentException.class, () -> Figures.parse(HEADER + row.strip()));
    assertTrue(wrong.getMessage().startsWith("line 2: ") && wrong.getMessage().contains(expected), wrong.getMessage());
  }

  @Test
  void shouldRefuseARowThatIsThereTwice() {
    String row = "a.b,001,1,x,y,time,5,us,predict\n";
    String message = assertThrows(IllegalArgumentException.class, () -> Figures.parse(HEADER + row + row)).getMessage();
    assertEquals("line 3: a.b is there twice", message);
    assertThrows(IllegalArgumentException.class, () -> Figures.parse(row));
  }

  @Test
  void shouldGiveProfilesNothingButCalibrateRows() {
    Calibration calibration = Figures.load().calibration();
    assertEquals(5.8, calibration.value("hpbd.testswap.local"));
    assertThrows(IllegalArgumentException.class, () -> calibration.value("hpbd.testswap.hpbd"));
    assertThrows(IllegalArgumentException.class, () -> calibration.value("dsm.t2.sor.via1"));
    assertThrows(IllegalArgumentException.class, () -> calibration.value("no.such.row"));
  }
}
