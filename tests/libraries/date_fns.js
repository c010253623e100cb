// date-fns: parsing, formatting, arithmetic and intervals (UTC, as in every Convex function).
import * as fns from "date-fns";
import { de } from "date-fns/locale";

const show = (name, value) => console.log(name, JSON.stringify(value));
const date = new Date(Date.UTC(2024, 1, 29, 13, 5, 9, 87));

show("exports", Object.keys(fns).length);
for (const pattern of ["yyyy-MM-dd'T'HH:mm:ss.SSSxxx", "PPPPpppp", "do MMMM yyyy, EEEE", "h:mm a", "I R QQQ ww DDD", "t T", "''yy 'o''clock'", "BBBB", "G y", "Pp"])
  show(pattern, fns.format(date, pattern, { useAdditionalDayOfYearTokens: true }));
show("locale", fns.format(date, "EEEE, d. MMMM yyyy", { locale: de }));
show("parseISO", ["2024-02-29", "2024-02-29T13:05:09.087Z", "2024-W09-4", "2024-060", "20240229T1305+0200", "junk"].map((text) => String(fns.parseISO(text).getTime())));
show("parse", [fns.parse("29/02/2024 13:05", "dd/MM/yyyy HH:mm", new Date(0)), fns.parse("3rd March 2020", "do MMMM yyyy", new Date(0)), String(fns.parse("x", "yyyy", new Date(0)))]);
show("add", [fns.add(date, { years: 1, months: 1, weeks: 1, days: 1, hours: 1 }), fns.addMonths(date, 12), fns.subDays(date, 60), fns.addBusinessDays(date, 7)]);
show("difference", [fns.differenceInDays(date, new Date(0)), fns.differenceInMonths(date, new Date(0)), fns.differenceInBusinessDays(date, new Date(0)), fns.differenceInCalendarWeeks(date, new Date(0))]);
show("distance", [fns.formatDistance(date, new Date(0)), fns.formatDistanceStrict(date, fns.addHours(date, 5)), fns.formatDistance(fns.addMinutes(date, 3), date, { addSuffix: true, includeSeconds: true }), fns.formatRelative(fns.subDays(date, 2), date)]);
show("start/end", [fns.startOfWeek(date), fns.endOfMonth(date), fns.startOfQuarter(date), fns.endOfISOWeekYear(date), fns.startOfDecade(date), fns.lastDayOfYear(date)]);
show("is", [fns.isLeapYear(date), fns.isWeekend(date), fns.isValid(new Date(NaN)), fns.isAfter(date, 0), fns.isSameWeek(date, fns.addDays(date, 3)), fns.isMatch("12:30", "HH:mm")]);
show("interval", [fns.eachDayOfInterval({ start: date, end: fns.addDays(date, 3) }).length, fns.eachWeekendOfMonth(date).length, fns.areIntervalsOverlapping({ start: 0, end: 5 }, { start: 4, end: 6 }), fns.intervalToDuration({ start: new Date(0), end: date })]);
show("duration", [fns.formatDuration({ hours: 2, minutes: 30 }), fns.formatISODuration({ years: 1, days: 2, minutes: 3 }), fns.milliseconds({ weeks: 1 }), fns.hoursToMinutes(2)]);
show("set/get", [fns.set(date, { month: 0, date: 31 }), fns.getISOWeek(date), fns.getDayOfYear(date), fns.getWeekOfMonth(date), fns.setISODay(date, 1), fns.getQuarter(date)]);
show("closest", [fns.closestTo(date, [new Date(0), fns.addDays(date, 1)]), fns.max([date, new Date(0)]), fns.roundToNearestMinutes(date, { nearestTo: 15 }), fns.nextFriday(date)]);
show("format*", [fns.formatISO(date), fns.formatISO9075(date), fns.formatRFC3339(date), fns.formatRFC7231(date), fns.lightFormat(date, "yyyy-MM-dd")]);
try { fns.format(new Date(NaN), "yyyy"); } catch (error) { show("invalid", [error.name, error.message]); }
console.warn = (text) => show("warned", text);
try { fns.format(date, "YYYY"); } catch (error) { show("protected", [error.name, error.message.slice(0, 40)]); }
